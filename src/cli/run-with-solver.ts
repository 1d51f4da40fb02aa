import type { SearchContext } from '../plan/solve-problem.js';
import type { WorkerSolver } from '../solver/highs/worker-solver.js';
import { ProgramBuilder } from '../solver/program-builder.js';
import { formatNumber } from './format-number.js';
import type { CliIo } from './io.js';
import { createProgressLine } from './progress-line.js';

/** How a search is limited and shown. */
export interface RunLimits {
  /** Milliseconds; no limit when absent. */
  readonly timeLimit?: number | undefined;
  readonly quiet?: boolean | undefined;
  /** Start the solver before the clock, so that `elapsedMs` holds nothing but the search. */
  readonly warmUp?: boolean | undefined;
  /** A solver that was started earlier (`startSolver`); it is ended with the search. */
  readonly solver?: Promise<WorkerSolver> | undefined;
}

/** Starts a solver ahead of its use, so that its thread loads while files are read. An idle one does not keep the process alive. */
export async function startSolver(): Promise<WorkerSolver> {
  const { createWorkerSolver } = await import('../solver/highs/worker-solver.js');
  const solver = await createWorkerSolver();
  // A fault shows again, and is reported, with the first program that matters.
  solver.solve(new ProgramBuilder().build()).catch(() => {});
  return solver;
}

/** A result, how long the search took, and whether Ctrl-C ended it. */
export interface LimitedRun<T> {
  readonly result: T;
  readonly elapsedMs: number;
  readonly interrupted: boolean;
}

/**
 * Runs a search with the HiGHS worker, a progress line that begins with `label`, a time limit and Ctrl-C, each of which ends
 * the search with the best answer so far.
 */
export async function runWithSolver<T>(
  label: string,
  search: (context: SearchContext) => Promise<T>,
  limits: RunLimits,
  io: CliIo,
): Promise<LimitedRun<T>> {
  const solver = await (limits.solver ?? startSolver());
  if (limits.warmUp === true) await solver.solve(new ProgramBuilder().build());
  const line = createProgressLine(io, limits);
  const interrupt = io.watchInterrupt();
  const stop = new AbortController();
  const stopFor = (reason: 'time' | 'interrupt') => () => {
    stop.abort(reason);
    void solver.terminate();
  };
  if (interrupt.aborted) stopFor('interrupt')();
  else interrupt.addEventListener('abort', stopFor('interrupt'), { once: true });
  const timer = limits.timeLimit === undefined ? undefined : setTimeout(stopFor('time'), limits.timeLimit);
  const start = io.now();
  try {
    const result = await search({
      solver,
      signal: stop.signal,
      onProgress: ({ bound, best }) => line.show(`${label}  bound ${shown(bound)}  best ${shown(best)}`),
    });
    return { result, elapsedMs: io.now() - start, interrupted: interrupt.aborted };
  } finally {
    clearTimeout(timer);
    line.clear();
    await solver.terminate();
  }
}

function shown(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? '–' : formatNumber(value);
}
