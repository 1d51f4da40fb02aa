/** A place that text is written to. */
export interface TextOut {
  write(text: string): void;
}

/** 0 done, 1 a check failed or a fault, 2 wrong usage or input, 3 infeasible, 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 3 | 130;

/** Everything a command may touch besides files: passed in, so that tests run commands in-process. */
export interface CliIo {
  /** Results, and nothing else. */
  readonly stdout: TextOut;
  /** Messages, notes and progress. */
  readonly stderr: TextOut;
  /** Whether someone watches stderr on a terminal: the only case in which progress is shown. */
  readonly isTty: boolean;
  /** Width of the terminal in characters; 80 when there is none. */
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds of a monotonic clock; for progress and elapsed times, never for results. */
  now(): number;
  /** The code that the command ends with; 0 until it is set. */
  setExitCode(code: ExitCode): void;
  /**
   * From this call on the first Ctrl-C aborts the returned signal (reason `'interrupt'`) and the second one quits at once.
   * Before it, Ctrl-C ends the program as usual.
   */
  watchInterrupt(): AbortSignal;
}

/** The real terminal. A reader that closes the pipe early (`inlay gpus | head`) is no error. */
export function createProcessIo(): CliIo {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit();
      throw error;
    });
  }
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    isTty: process.stderr.isTTY === true,
    columns: process.stdout.columns ?? 80,
    env: process.env,
    now: () => performance.now(),
    setExitCode: (code) => {
      process.exitCode = code;
    },
    watchInterrupt,
  };
}

function watchInterrupt(): AbortSignal {
  const controller = new AbortController();
  process.on('SIGINT', () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort('interrupt');
  });
  return controller.signal;
}
