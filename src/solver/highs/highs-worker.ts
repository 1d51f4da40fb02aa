/** Entry of the worker thread: answers requests one after the other with an inline solver. */
import { parentPort } from 'node:worker_threads';
import { InlayError, type Problem, problem } from '../../errors.js';
import type { SolverSession } from '../solver.js';
import { createInlineSolver } from './highs-solver.js';
import type { WorkerRequest, WorkerResponse } from './worker-protocol.js';

type AnyMethod = (...args: readonly unknown[]) => Promise<unknown>;

const solver = await createInlineSolver();
const sessions = new Map<number, SolverSession>();
let openedSessions = 0;

async function answer(request: WorkerRequest): Promise<WorkerResponse> {
  try {
    return { kind: 'done', id: request.id, value: await perform(request) };
  } catch (error) {
    return { kind: 'failed', id: request.id, problems: toProblems(error) };
  }
}

async function perform({ session, method, args }: WorkerRequest): Promise<unknown> {
  const target = session === undefined ? solver : sessions.get(session);
  const call = (target as unknown as Record<string, AnyMethod> | undefined)?.[method];
  if (call === undefined) throw new RangeError(`session ${session} is closed`);
  const result = await call(...args);
  if (method === 'open') {
    openedSessions += 1;
    sessions.set(openedSessions, result as SolverSession);
    return openedSessions;
  }
  if (method === 'close') sessions.delete(session as number);
  return result;
}

function toProblems(error: unknown): readonly Problem[] {
  if (error instanceof InlayError) return error.problems;
  return [problem('SOLVER_FAILED', { message: `The LP/MIP solver failed: ${error instanceof Error ? error.message : String(error)}` })];
}

// The inline solver does all its work within the call, so answers keep the order of the requests.
parentPort?.on('message', async (request: WorkerRequest) => parentPort?.postMessage(await answer(request)));
