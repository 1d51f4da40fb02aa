import { open } from 'node:fs/promises';
import { inlayError } from '../errors.js';
import { formatBytes } from './format-bytes.js';
import { readFailure } from './read-file.js';

/**
 * The lines of a text file of at most `maxBytes`, one after the other, without line ends and byte order mark: a file never has to fit
 * into memory. Throws InlayError with a FILE_ code.
 */
export async function* readLines(file: string, maxBytes: number): AsyncGenerator<string> {
  try {
    const handle = await open(file);
    try {
      const { size } = await handle.stat();
      if (size > maxBytes) {
        const [expected, received] = [`at most ${formatBytes(maxBytes)}`, formatBytes(size)];
        throw inlayError('FILE_TOO_LARGE', { message: `${file} is larger than such a file may be.`, file, expected, received });
      }
      let isFirst = true;
      for await (const line of handle.readLines({ autoClose: false })) {
        yield isFirst ? line.replace(/^\ufeff/, '') : line;
        isFirst = false;
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw readFailure(file, error);
  }
}
