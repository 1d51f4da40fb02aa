import pc from 'picocolors';
import type { Conflict } from '../demand/conflict.js';
import { catalogue, InlayError, type Problem, problem } from '../errors.js';
import type { CliIo } from './io.js';
import { printable } from './printable.js';

/** How a command was asked to talk. */
export interface ReportOptions {
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/** An answer, not a fault: what was asked for cannot be had. Further fields are passed on under `--json`. */
export interface Infeasible {
  readonly kind: 'infeasible';
  /** None was found, but there may be one. */
  readonly unproven?: true;
  readonly conflicts: readonly Conflict[];
}

/** Problems shown in full on a terminal; the rest is counted. `--json` holds all of them. */
const mostShown = 20;

/** Tells what went wrong and sets the exit code of the first problem. Anything but an InlayError is reported as a bug. */
export function reportFailure(error: unknown, io: CliIo, options: ReportOptions = {}): void {
  const failure = error instanceof InlayError ? error : internalError(error);
  if (options.json === true) writeJson(io, { errors: failure.problems });
  else io.stderr.write(formatProblems(failure.problems, 'error', io));
  if (io.env['INLAY_DEBUG'] === '1' && error instanceof Error) io.stderr.write(`${error.stack ?? ''}\n`);
  io.setExitCode(exitCodeOf(failure));
}

/** Tells why something cannot be done; exit code 3. */
export function reportInfeasible(answer: Infeasible, io: CliIo, options: ReportOptions = {}): void {
  if (options.json === true) writeJson(io, answer);
  else {
    const verdict = answer.unproven === true ? 'No way was found to do this.' : 'Infeasible: this cannot be done.';
    io.stderr.write(`${verdict}\n${formatProblems(answer.conflicts, 'conflict', io)}`);
  }
  io.setExitCode(3);
}

/** Tells what the user should know but need not act on. */
export function reportNotes(notes: readonly Problem[], io: CliIo, options: ReportOptions = {}): void {
  if (options.quiet !== true && notes.length > 0) io.stderr.write(formatProblems(notes, 'note', io));
}

/** Writes one JSON document to stdout. */
export function writeJson(io: CliIo, value: unknown): void {
  io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

const labelColour = { error: 'red', conflict: 'red', note: 'yellow' } as const;

type Shown = Pick<Problem, 'message' | 'code'> & Partial<Record<Exclude<keyof Problem, 'message' | 'code'>, unknown>>;

function formatProblems(problems: readonly Shown[], label: keyof typeof labelColour, io: CliIo): string {
  const colours = pc.createColors(io.isTty && io.env['NO_COLOR'] === undefined);
  const shownLabel = colours.bold(colours[labelColour[label]](`${label}:`));
  const rest = problems.length - mostShown;
  const more = rest > 0 ? `… and ${rest} more (all of them with --json)\n` : '';
  return (
    problems
      .slice(0, mostShown)
      .map((shown) => formatProblem(shown, shownLabel))
      .join('') + more
  );
}

function formatProblem(shown: Shown, label: string): string {
  const place = [shown.file, shown.line, shown.column].filter((part) => part !== undefined).join(':');
  const compared = [
    shown.expected === undefined ? '' : `expected ${shown.expected}`,
    shown.received === undefined ? '' : `received ${shown.received}`,
  ].filter((part) => part !== '');
  const lines = [`${printable(place === '' ? '' : `${place}: `)}${label} ${printable(shown.message)} (${shown.code})`];
  if (compared.length > 0) lines.push(`  ${printable(compared.join(', '))}`);
  if (shown.hint !== undefined) lines.push(`  ${printable(String(shown.hint))}`);
  return `${lines.join('\n')}\n`;
}

function internalError(error: unknown): InlayError {
  const message = error instanceof Error ? error.message : String(error);
  return new InlayError([problem('INTERNAL', { message: `Unexpected: ${message}`, hint: bugHint })], { cause: error });
}

const bugHint = 'This is a bug. Please report it with the command, the input and the output of the same command under INLAY_DEBUG=1.';

function exitCodeOf(error: InlayError): 1 | 2 | 3 {
  const { exit } = catalogue[error.code];
  return exit === 0 ? 1 : exit;
}
