import { createPointFinder } from '../../demand/operating-points.js';
import type { Pool } from '../../demand/workload.js';
import type { MigProfile } from '../../gpu/gpu-model.js';
import type { PlanResult } from '../plan-result.js';
import type { SearchContext } from '../solve-problem.js';
import { cannotApply } from './cannot-apply.js';
import { fixLayouts } from './fixed-layouts.js';
import { planRestricted } from './plan-restricted.js';
import type { PlanRequest } from './strategy.js';

/**
 * GPUs as they are, one service each ("A100-7/7", the baseline of arXiv 2109.11067): the largest profile of every pool, or
 * the GPU with MIG off. Several processes may share the GPU, as the workload allows; that is ours and makes the baseline stronger.
 */
export async function planWhole(request: PlanRequest, context: SearchContext): Promise<PlanResult> {
  return planWholeGpus(request, context, 'whole');
}

/** As `whole`, with one process a GPU: the baseline as published. */
export async function planWholeSingle(request: PlanRequest, context: SearchContext): Promise<PlanResult> {
  return planWholeGpus(request, context, 'whole-single', 1);
}

async function planWholeGpus(request: PlanRequest, context: SearchContext, strategy: string, maxProcesses?: number): Promise<PlanResult> {
  const cuts = fixLayouts(request, (pool) => [largestProfile(pool)]);
  if (cuts === undefined) return cannotApply(strategy, [{ message: 'no pool has a GPU that nobody else uses' }]);
  const finder = maxProcesses === undefined ? request.finder : createPointFinder({ ...request.workload, maxProcesses });
  return planRestricted(request, context, strategy, { cuts, finder });
}

function largestProfile({ profiles }: Pool): MigProfile {
  return profiles.reduce((a, b) => ((b.computeSlices - a.computeSlices || b.memorySlices - a.memorySlices) > 0 ? b : a));
}
