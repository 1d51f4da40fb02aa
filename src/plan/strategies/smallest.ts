import type { PlanResult } from '../plan-result.js';
import type { SearchContext } from '../solve-problem.js';
import { planRestricted } from './plan-restricted.js';
import type { PlanRequest } from './strategy.js';

/**
 * Every service on the smallest slice of each pool on which it has a usable row ("A100-7×1/7", the baseline of
 * arXiv 2109.11067, where every model fits the smallest slice; taking the next larger one otherwise is ours).
 */
export async function planSmallest(request: PlanRequest, context: SearchContext): Promise<PlanResult> {
  const { sizes } = request.finder.index;
  return planRestricted(request, context, 'smallest', {
    cuts: request.cuts,
    allows: (size, usable) => usable.findIndex((isUsable, other) => isUsable && sizes[other]?.pool === sizes[size]?.pool) === size,
  });
}
