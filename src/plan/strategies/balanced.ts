import type { PlanResult } from '../plan-result.js';
import type { SearchContext } from '../solve-problem.js';
import { cannotApply } from './cannot-apply.js';
import { fixLayouts, plainProfiles } from './fixed-layouts.js';
import { planRestricted } from './plan-restricted.js';
import type { PlanRequest } from './strategy.js';

/**
 * Every GPU cut as NVIDIA's `all-balanced` configuration of the MIG manager does: 3-2-1-1, and 2-1-1 on chips of four slices.
 * The services are put on the slices with the fewest GPUs.
 */
export async function planBalanced(request: PlanRequest, context: SearchContext): Promise<PlanResult> {
  const cuts = fixLayouts(request, (pool) => plainProfiles(pool, pool.gpu.computeSlices === 4 ? [2, 1, 1] : [3, 2, 1, 1]));
  if (cuts === undefined) return cannotApply('balanced', [{ message: 'no pool can be cut 3-2-1-1 (2-1-1 on chips of four slices)' }]);
  return planRestricted(request, context, 'balanced', { cuts });
}
