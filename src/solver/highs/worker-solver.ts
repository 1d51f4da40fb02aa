import { Worker } from 'node:worker_threads';
import { InlayError, inlayError } from '../../errors.js';
import type { Solution, Solver, SolverSession } from '../solver.js';
import type { WorkerRequest, WorkerResponse } from './worker-protocol.js';

/** A solver on a thread of its own, so that the caller stays free and can stop it. */
export interface WorkerSolver extends Solver {
  /** Ends the thread, even in the middle of a solve. Pending and later calls reject with the code STOPPED_EARLY. */
  terminate(): Promise<void>;
}

type Call = Omit<WorkerRequest, 'id'>;

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: InlayError) => void;
}

/** A solver whose thread starts with the first call and does not keep the process alive while idle. */
export async function createWorkerSolver(): Promise<WorkerSolver> {
  const thread = createThread();
  return {
    solve: async (...args) => (await thread.call({ method: 'solve', args })) as Solution,
    open: async (...args) => toSession(thread, (await thread.call({ method: 'open', args })) as number),
    terminate: () => thread.terminate(),
  };
}

function toSession(thread: Thread, session: number): SolverSession {
  const send = (method: Call['method'], args: readonly unknown[]): Promise<unknown> => thread.call({ session, method, args });
  return {
    addRows: async (...args) => void (await send('addRows', args)),
    addColumns: async (...args) => void (await send('addColumns', args)),
    solve: async (...args) => (await send('solve', args)) as Solution,
    close: async () => void (await send('close', [])),
  };
}

interface Thread {
  call(call: Call): Promise<unknown>;
  terminate(): Promise<void>;
}

function createThread(): Thread {
  const pending = new Map<number, PendingCall>();
  let worker: Worker | undefined;
  let ended: InlayError | undefined;
  let calls = 0;

  function end(reason: InlayError): void {
    ended ??= reason;
    for (const call of pending.values()) call.reject(ended);
    pending.clear();
  }

  function settle(response: WorkerResponse): void {
    const call = pending.get(response.id);
    pending.delete(response.id);
    if (pending.size === 0) worker?.unref();
    if (response.kind === 'done') call?.resolve(response.value);
    else call?.reject(new InlayError(response.problems));
  }

  function start(): Worker {
    const started = startWorker();
    started.on('message', settle);
    started.on('error', (cause) => end(inlayError('SOLVER_FAILED', { message: `The solver thread failed: ${cause}` }, { cause })));
    started.on('exit', (code) => end(inlayError('SOLVER_FAILED', { message: `The solver thread ended with code ${code}.` })));
    return started;
  }

  return {
    call: (call) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) {
          reject(ended);
          return;
        }
        worker ??= start();
        worker.ref();
        calls += 1;
        pending.set(calls, { resolve, reject });
        worker.postMessage({ id: calls, ...call } satisfies WorkerRequest);
      }),
    terminate: async () => {
      end(inlayError('STOPPED_EARLY', { message: 'The solver was stopped.' }));
      await worker?.terminate();
    },
  };
}

function startWorker(): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./highs-worker.js', import.meta.url));
  // Run from sources (tests, tools), a thread does not inherit the loader of TypeScript and has to register its own.
  const loader = import.meta.resolve('tsx/esm/api');
  const entry = new URL('./highs-worker.ts', import.meta.url).href;
  return new Worker(`import('${loader}').then(({ register }) => { register(); return import('${entry}'); })`, { eval: true });
}
