import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { inlayError } from '../errors.js';
import { formatBytes } from './format-bytes.js';
import { lineTooLong } from './line-too-long.js';
import { readChunks } from './read-file.js';
import { decodePieces } from './read-text-pieces.js';

/** A trace may stand on one line, number after number. */
const longestLine = 64 * 1024 * 1024;

/**
 * The lines of a UTF-8 text file of at most `maxBytes`, one after the other, without line ends and byte order mark: a file never has to
 * fit into memory. Files packed with gzip are unpacked on the way. Throws InlayError with a FILE_ code, or SYNTAX at what is no text.
 */
export async function* readLines(file: string, maxBytes: number): AsyncGenerator<string> {
  let rest = '';
  let line = 1;
  for await (const piece of decodePieces(unpack(readChunks(file, maxBytes), file, maxBytes), file)) {
    const lines = piece.split('\n');
    for (const [index, text] of lines.entries()) {
      const whole = index === 0 ? rest + text : text;
      if (index === lines.length - 1) rest = whole;
      else yield whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    }
    line += lines.length - 1;
    if (rest.length > longestLine) throw lineTooLong(file, line, longestLine, 'Check that the file is what it should be.');
  }
  if (rest !== '') yield rest;
}

async function* unpack(chunks: AsyncGenerator<Buffer>, file: string, maxBytes: number): AsyncGenerator<Buffer> {
  try {
    const first = await chunks.next();
    if (first.done === true) return;
    const all = prepend(first.value, chunks);
    if (first.value[0] === 0x1f && first.value[1] === 0x8b) yield* gunzip(all, file, maxBytes);
    else yield* all;
  } finally {
    // Whoever stops at the first chunk has not begun to iterate over the others, so nothing else closes the file.
    await chunks.return(undefined);
  }
}

async function* gunzip(packed: AsyncIterable<Buffer>, file: string, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of pipeline(Readable.from(packed), createGunzip(), () => undefined) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(file, maxBytes);
      yield chunk;
    }
  } catch (error) {
    throw isZlibError(error) ? damaged(file, error) : error;
  }
}

async function* prepend(first: Buffer, others: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* others;
}

function isZlibError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code));
}

function damaged(file: string, cause: Error) {
  const message = `${file} is packed with gzip and damaged or cut short: ${cause.message}.`;
  return inlayError('SYNTAX', { message, file, hint: 'Fetch the file again.' }, { cause });
}

function tooLarge(file: string, maxBytes: number) {
  return inlayError('FILE_TOO_LARGE', {
    message: `${file} is larger than such a file may be.`,
    file,
    expected: `at most ${formatBytes(maxBytes)} unpacked`,
    received: 'more',
  });
}
