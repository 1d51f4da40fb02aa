import type { StateDocument } from '../demand/documents/state.js';
import type { Workload } from '../demand/workload.js';
import type { PlanOptions } from '../plan/plan.js';
import type { PlanResult } from '../plan/plan-result.js';
import type { CliIo } from './io.js';
import { type RunLimits, runWithSolver } from './run-with-solver.js';

/** A result, how long planning took, and whether Ctrl-C ended it. */
export interface LimitedRun {
  readonly result: PlanResult;
  readonly planMs: number;
  readonly interrupted: boolean;
}

/** Plans with the limits of `runWithSolver`: a time limit and Ctrl-C end the search with the best plan so far. */
export async function planWithLimits(
  workload: Workload,
  options: Omit<PlanOptions, 'solver' | 'signal' | 'onProgress'>,
  limits: RunLimits,
  io: CliIo,
): Promise<LimitedRun> {
  const { plan } = await import('../plan/plan.js');
  const { elapsedMs, ...run } = await runWithSolver('planning', (context) => plan(workload, { ...options, ...context }), limits, io);
  return { ...run, planMs: elapsedMs };
}

/** As `planWithLimits`, for a plan that is made onto what runs. */
export async function planOntoWithLimits(
  state: StateDocument,
  workload: Workload,
  objective: 'gpus' | 'cost',
  limits: RunLimits,
  io: CliIo,
): Promise<Pick<LimitedRun, 'result' | 'interrupted'>> {
  const { planOnto } = await import('../transition/plan-onto.js');
  return runWithSolver('planning', (context) => planOnto(state, workload, { objective, ...context }), limits, io);
}
