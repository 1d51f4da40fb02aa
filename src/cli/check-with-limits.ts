import type { Workload } from '../demand/workload.js';
import { InlayError } from '../errors.js';
import type { PlanOptions } from '../plan/plan.js';
import type { PlanResult } from '../plan/plan-result.js';
import { type CheckedPlan, planAndCheck } from '../simulate/check-plan.js';
import type { CliIo } from './io.js';
import { planWithLimits } from './plan-with-limits.js';
import { createProgressLine } from './progress-line.js';
import type { RunLimits } from './run-with-solver.js';
import { createSimulationThreads } from './simulation-threads.js';

/** How the check of a plan is made. */
export interface CheckSettings {
  readonly depth: 'quick' | 'full';
  readonly seed: number;
}

/** The answer, and whether Ctrl-C ended it: then the plan is the last one made, not checked to the end. */
export interface CheckedRun {
  readonly result: CheckedPlan | PlanResult;
  readonly interrupted: boolean;
}

/** Plans to the percentile by simulation, with threads, progress lines and Ctrl-C. */
export async function checkWithLimits(
  workload: Workload,
  options: Omit<PlanOptions, 'solver' | 'signal' | 'onProgress' | 'headroom'>,
  settings: CheckSettings,
  limits: RunLimits,
  io: CliIo,
): Promise<CheckedRun> {
  const interrupt = io.watchInterrupt();
  const oneInterrupt = { ...io, watchInterrupt: () => interrupt };
  const line = createProgressLine(io, limits);
  const threads = createSimulationThreads({
    onDone: (services, requests) => line.show(`simulating  ${services} services  ${(requests / 1e6).toFixed(1)} M requests`),
  });
  if (interrupt.aborted) await threads.close();
  else interrupt.addEventListener('abort', () => void threads.close(), { once: true });
  let last: PlanResult | undefined;
  try {
    const result = await planAndCheck(workload, {
      ...settings,
      simulate: threads.simulate,
      signal: interrupt,
      plan: async (asked, request) => {
        last = (await planWithLimits(asked, { ...options, ...request }, limits, oneInterrupt)).result;
        return last;
      },
    });
    return { result, interrupted: interrupt.aborted };
  } catch (error) {
    const isStopped = error instanceof InlayError && error.code === 'STOPPED_EARLY' && interrupt.aborted;
    if (!isStopped || last === undefined) throw error;
    return { result: last, interrupted: true };
  } finally {
    line.clear();
    await threads.close();
  }
}
