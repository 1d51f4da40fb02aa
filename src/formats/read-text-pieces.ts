import type { Position } from './parsed-document.js';
import { positionAfter } from './position-after.js';
import { decodeText, readChunks } from './read-file.js';

/**
 * Reads a UTF-8 text file of at most `maxBytes` piece by piece, cut anywhere between two characters, so that neither the file nor a line
 * of it has to fit into memory. Throws InlayError with a FILE_ code, or SYNTAX at what is no text.
 */
export function readTextPieces(file: string, maxBytes: number): AsyncGenerator<string> {
  return decodePieces(readChunks(file, maxBytes), file);
}

/** The bytes of `file` as text, cut anywhere between two characters, without a byte order mark. Throws InlayError SYNTAX at what is no text. */
export async function* decodePieces(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<string> {
  let pending: Buffer = Buffer.alloc(0);
  let start: Position = { line: 1, column: 1 };
  for await (const chunk of chunks) {
    const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const end = endOfCharacters(bytes);
    const text = decodeText(bytes.subarray(0, end), file, start);
    pending = bytes.subarray(end);
    start = positionAfter(start, text);
    if (text !== '') yield text;
  }
  if (pending.length > 0) yield decodeText(pending, file, start);
}

/** Just after the last character that is whole; what is no UTF-8 at all counts as whole, for the decoder to refuse. */
function endOfCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
