import { open } from 'node:fs/promises';
import { type ErrorCode, InlayError, inlayError } from '../errors.js';
import { formatBytes } from './format-bytes.js';
import type { Position } from './parsed-document.js';
import { positionAfter } from './position-after.js';

/**
 * Reads a UTF-8 text file of at most `maxBytes`, without its byte order mark. Never holds more than that in memory,
 * whatever is behind the name. Throws InlayError with a FILE_ code, or SYNTAX when the bytes are not text.
 */
export async function readTextFile(file: string, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of readChunks(file, maxBytes)) chunks.push(chunk);
  return decodeText(Buffer.concat(chunks), file);
}

/** Reads a file of at most `maxBytes` piece by piece. Throws InlayError with a FILE_ code. */
export async function* readChunks(file: string, maxBytes: number): AsyncGenerator<Buffer> {
  try {
    const handle = await open(file);
    try {
      const stat = await handle.stat();
      if (stat.isDirectory()) throw inlayError('FILE_IS_DIRECTORY', { message: `${file} is a directory.`, file, expected: 'a file' });
      if (stat.size > maxBytes) throw tooLarge(file, maxBytes, formatBytes(stat.size));
      let size = 0;
      // Pipes and devices tell no size beforehand, so the bytes that arrive are counted as well.
      for await (const chunk of handle.createReadStream({ autoClose: false })) {
        size += chunk.length;
        if (size > maxBytes) throw tooLarge(file, maxBytes, 'more');
        yield chunk;
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw readFailure(file, error);
  }
}

function tooLarge(file: string, maxBytes: number, received: string): InlayError {
  return inlayError('FILE_TOO_LARGE', {
    message: `${file} is larger than such a file may be.`,
    file,
    expected: `at most ${formatBytes(maxBytes)}`,
    received,
  });
}

/** The coded error for what the file system said; anything else is given back as it is. */
export function readFailure(file: string, error: unknown): unknown {
  if (error instanceof InlayError || !(error instanceof Error) || !('code' in error)) return error;
  const code = codeOfSystemError[String(error.code)] ?? 'FILE_UNREADABLE';
  return inlayError(code, { message: messageOf[code](file, error.message), file }, { cause: error });
}

type ReadFailure = Extract<ErrorCode, 'FILE_NOT_FOUND' | 'FILE_IS_DIRECTORY' | 'FILE_UNREADABLE'>;

const codeOfSystemError: Readonly<Record<string, ReadFailure>> = {
  ENOENT: 'FILE_NOT_FOUND',
  ENOTDIR: 'FILE_NOT_FOUND',
  EISDIR: 'FILE_IS_DIRECTORY',
};

const messageOf: Readonly<Record<ReadFailure, (file: string, reason: string) => string>> = {
  FILE_NOT_FOUND: (file) => `${file} does not exist.`,
  FILE_IS_DIRECTORY: (file) => `${file} is a directory.`,
  FILE_UNREADABLE: (file, reason) => `${file} could not be read: ${reason}.`,
};

/**
 * The text of UTF-8 bytes, without a byte order mark before them. `start` is where in the file they begin. Throws InlayError with SYNTAX when they are not text.
 */
export function decodeText(bytes: Buffer, file: string, start: Position = { line: 1, column: 1 }): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw notText(new TextDecoder('utf-8').decode(bytes), '\ufffd', 'bytes that are not UTF-8', file, start);
  }
  if (text.includes('\0')) throw notText(text, '\0', 'a zero byte', file, start);
  return text;
}

function notText(text: string, culprit: string, received: string, file: string, start: Position): InlayError {
  return inlayError('SYNTAX', {
    message: `${file} is not a text file in UTF-8.`,
    file,
    ...positionAfter(start, text.slice(0, text.indexOf(culprit))),
    expected: 'UTF-8 text',
    received,
    hint: 'Save the file as text in UTF-8.',
  });
}
