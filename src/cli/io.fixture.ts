import type { CliIo, ExitCode } from './io.js';
import { runCli } from './program.js';

/** What a command printed and how it ended. */
export interface CliRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: ExitCode;
}

/** A pipe of 80 columns that remembers what was written to it; parts of it can be replaced. */
export function recordIo(changes: Partial<CliIo> = {}): { readonly io: CliIo; finish(): CliRun } {
  const stdout: string[] = [];
  const stderr: string[] = [];
  let exitCode: ExitCode = 0;
  const io: CliIo = {
    stdout: { write: (text) => stdout.push(text) },
    stderr: { write: (text) => stderr.push(text) },
    isTty: false,
    columns: 80,
    env: {},
    now: () => 0,
    setExitCode: (code) => {
      exitCode = code;
    },
    watchInterrupt: () => new AbortController().signal,
    ...changes,
  };
  return { io, finish: () => ({ stdout: stdout.join(''), stderr: stderr.join(''), exitCode }) };
}

/** Runs a command line in-process, in a recording pipe. */
export async function runInProcess(args: readonly string[], changes: Partial<CliIo> = {}): Promise<CliRun> {
  const { io, finish } = recordIo(changes);
  await runCli(args, io);
  return finish();
}
