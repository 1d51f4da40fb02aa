import { InlayError } from '../errors.js';
import type { CliIo } from './io.js';
import { createProgressLine } from './progress-line.js';
import type { ReportOptions } from './report-problems.js';
import { createSimulationThreads, type SimulationThreads } from './simulation-threads.js';

/** How a simulation is run and shown. */
export interface ThreadedRun extends ReportOptions {
  readonly threads?: number | undefined;
  /** Services to simulate, for the progress line. */
  readonly services: number;
}

/** Does a piece of simulation on threads, with a progress line; undefined after Ctrl-C. */
export async function runOnThreads<T>(
  run: ThreadedRun,
  io: CliIo,
  work: (threads: SimulationThreads) => Promise<T>,
): Promise<T | undefined> {
  const line = createProgressLine(io, run);
  const threads = createSimulationThreads({
    threads: run.threads,
    onDone: (done, requests) => line.show(`simulating  ${done} of ${run.services} services  ${(requests / 1e6).toFixed(1)} M requests`),
  });
  const interrupt = io.watchInterrupt();
  interrupt.addEventListener('abort', () => void threads.close(), { once: true });
  try {
    return interrupt.aborted ? undefined : await work(threads);
  } catch (error) {
    if (interrupt.aborted && error instanceof InlayError && error.code === 'STOPPED_EARLY') return undefined;
    throw error;
  } finally {
    line.clear();
    await threads.close();
  }
}
