import { lineTooLong } from './line-too-long.js';
import { decodeText, readChunks } from './read-file.js';

/** Some whole lines of a text file. */
export interface TextBlock {
  readonly text: string;
  /** Number of its first line in the file, from 1. */
  readonly line: number;
}

/** Most bytes held back while a line, or a quoted field, has not ended. */
const longestLine = 4 * 1024 * 1024;

const lineFeed = 0x0a;
const quote = 0x22;

/**
 * Reads a UTF-8 text file of at most `maxBytes` in blocks of whole lines, so that memory does not grow with the file. With
 * `quotes`, a block never ends inside a double-quoted field. Throws InlayError with a FILE_ code, or SYNTAX at what is no text.
 */
export async function* readTextBlocks(file: string, maxBytes: number, { quotes = false } = {}): AsyncGenerator<TextBlock> {
  let pending: Buffer = Buffer.alloc(0);
  let line = 1;
  for await (const chunk of readChunks(file, maxBytes)) {
    const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    let end = endOfLines(bytes, quotes);
    // A quote that is never closed: whoever reads the block is to tell where it stands.
    if (end === 0 && bytes.length > longestLine) end = bytes.lastIndexOf(lineFeed) + 1;
    if (end === 0 && bytes.length > longestLine)
      throw lineTooLong(file, line, longestLine, 'Check that the file is of the format that the command imports.');
    pending = bytes.subarray(end);
    if (end === 0) continue;
    const lines = bytes.subarray(0, end);
    yield { text: decodeText(lines, file, { line, column: 1 }), line };
    line += countLines(lines);
  }
  if (pending.length > 0) yield { text: decodeText(pending, file, { line, column: 1 }), line };
}

/** Just after the last line break that is not inside quotes; 0 when there is none. */
function endOfLines(bytes: Buffer, quotes: boolean): number {
  if (!quotes) return bytes.lastIndexOf(lineFeed) + 1;
  let end = 0;
  let inside = false;
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index] === quote) inside = !inside;
    else if (bytes[index] === lineFeed && !inside) end = index + 1;
  }
  return end;
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let index = bytes.indexOf(lineFeed); index >= 0; index = bytes.indexOf(lineFeed, index + 1)) count += 1;
  return count;
}
