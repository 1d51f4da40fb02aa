import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { inlayError } from '../errors.js';
import type { ScheduleOutcome } from '../simulate/schedule/scheduled-service.js';
import type { ScheduleRequest } from '../simulate/schedule/simulate-schedule.js';
import type { ServiceOutcome } from '../simulate/service-outcome.js';
import type { SimulateServices } from '../simulate/simulate-services.js';
import type { SimulationTask } from './simulation-worker.js';

/** Threads that simulate services; what they answer does not depend on how many there are. */
export interface SimulationThreads {
  readonly simulate: SimulateServices;
  /** Plays services through a schedule; outcomes come in the order of the requests. */
  playSchedule(requests: readonly ScheduleRequest[]): Promise<readonly ScheduleOutcome[]>;
  /** Ends the threads; runs in progress and later ones reject with STOPPED_EARLY. */
  close(): Promise<void>;
}

/** Settings of the threads. */
export interface ThreadOptions {
  /** Default: one for each processor. */
  readonly threads?: number | undefined;
  /** Told after each service: how many are done in all, and their requests. */
  readonly onDone?: (services: number, requests: number) => void;
}

/** Starts threads as they are needed, at most one a task. One run at a time. */
export function createSimulationThreads({ threads = availableParallelism(), onDone }: ThreadOptions = {}): SimulationThreads {
  const workers: Worker[] = [];
  let closed: Error | undefined;
  let stop: ((error: Error) => void) | undefined;
  let services = 0;
  let requests = 0;

  const run = <Outcome>(tasks: readonly SimulationTask[], countOf: (outcome: Outcome) => number): Promise<readonly Outcome[]> =>
    new Promise((resolve, reject) => {
      if (closed !== undefined) return reject(closed);
      if (tasks.length === 0) return resolve([]);
      stop = reject;
      const outcomes: Outcome[] = [];
      let next = 0;
      let left = tasks.length;
      while (workers.length < Math.min(threads, tasks.length)) workers.push(startWorker());
      for (const worker of workers) {
        let at = -1;
        const takeNext = (): void => {
          at = next++;
          if (at < tasks.length) worker.postMessage(tasks[at]);
        };
        worker.removeAllListeners();
        worker.on('error', (cause) => reject(inlayError('INTERNAL', { message: `A simulation thread failed: ${cause}` }, { cause })));
        worker.on('message', (outcome: Outcome) => {
          outcomes[at] = outcome;
          services += 1;
          requests += countOf(outcome);
          onDone?.(services, requests);
          takeNext();
          left -= 1;
          if (left === 0) resolve(outcomes);
        });
        takeNext();
      }
    });

  return {
    simulate: (asked) =>
      run<ServiceOutcome>(
        asked.map((request) => ({ kind: 'service', request })),
        (outcome) => outcome.requests,
      ),
    playSchedule: (asked) =>
      run<ScheduleOutcome>(
        asked.map((request) => ({ kind: 'schedule', request })),
        ({ phases }) => phases.reduce((sum, phase) => sum + phase.requests, 0),
      ),
    close: async () => {
      closed = inlayError('STOPPED_EARLY', { message: 'The simulation was stopped.' });
      stop?.(closed);
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function startWorker(): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./simulation-worker.js', import.meta.url));
  // Run from sources (tests, tools), a thread does not inherit the loader of TypeScript and has to register its own.
  const loader = import.meta.resolve('tsx/esm/api');
  const entry = new URL('./simulation-worker.ts', import.meta.url).href;
  return new Worker(`import('${loader}').then(({ register }) => { register(); return import('${entry}'); })`, { eval: true });
}
