import type { PlanResult } from '../plan-result.js';
import type { SearchContext } from '../solve-problem.js';
import { cannotApply } from './cannot-apply.js';
import { fixLayouts, plainProfiles } from './fixed-layouts.js';
import { planRestricted } from './plan-restricted.js';
import type { PlanRequest } from './strategy.js';

/**
 * Every GPU cut 4-2-1 ("A100-MIX", the baseline of arXiv 2109.11067); chips of four slices are cut 2-1-1, which is ours. The
 * services are put on the slices with the fewest GPUs; the paper does not say how.
 */
export async function planStaticMix(request: PlanRequest, context: SearchContext): Promise<PlanResult> {
  const cuts = fixLayouts(request, (pool) => plainProfiles(pool, pool.gpu.computeSlices === 4 ? [2, 1, 1] : [4, 2, 1]));
  if (cuts === undefined) return cannotApply('static-mix', [{ message: 'no pool can be cut 4-2-1 (2-1-1 on chips of four slices)' }]);
  return planRestricted(request, context, 'static-mix', { cuts });
}
