import { basename } from 'node:path';
import { InlayError, type Problem } from '../errors.js';

/** One line a problem, `file:line:column path CODE expected … received …`, file names without folders. */
export function problemLines(problems: readonly Problem[]): string {
  return problems
    .map((problem) => {
      const place = [basename(problem.file ?? '-'), problem.line, problem.column].filter((part) => part !== undefined).join(':');
      return [
        place,
        problem.path,
        problem.code,
        problem.expected && `expected ${problem.expected}`,
        problem.received && `received ${problem.received}`,
      ]
        .filter((part) => part !== undefined)
        .join(' ');
    })
    .join('\n');
}

/** The problems that a call throws; fails when it throws anything else or nothing. */
export async function problemsOf(call: () => unknown): Promise<readonly Problem[]> {
  try {
    await call();
  } catch (error) {
    if (error instanceof InlayError) return error.problems;
    throw error;
  }
  throw new Error('expected an InlayError');
}
