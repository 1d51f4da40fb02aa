import { type InlayError, inlayError } from '../errors.js';
import { formatBytes } from './format-bytes.js';

/** The error of a line of which more than `mostBytes` were read without an end. */
export function lineTooLong(file: string, line: number, mostBytes: number, hint: string): InlayError {
  return inlayError('SYNTAX', {
    message: `A line of ${file} does not end.`,
    file,
    line,
    column: 1,
    expected: `lines of at most ${formatBytes(mostBytes)}`,
    hint,
  });
}
