import { buildProblem } from '../build-problem.js';
import { dealPlan } from '../deal-plan.js';
import { findCostUnit, finishPlan } from '../finish-plan.js';
import { describeShortage } from '../infeasible.js';
import type { PackingProblem } from '../packing-problem.js';
import type { PlanResult } from '../plan-result.js';
import { boundNeed, type SearchContext, solveProblem } from '../solve-problem.js';
import { findCommonFactor, planMaxMin } from './max-min.js';
import type { PlanRequest } from './strategy.js';

/**
 * The product's own planner: slice prices prove a limit, service plans and small integer programs reach it.
 * docs/design/0001-slice-prices.md tells the method and its numbers.
 */
export async function planExactly(request: PlanRequest, context: SearchContext): Promise<PlanResult> {
  const { workload, finder, cuts, objective } = request;
  if (objective === 'max-min') return planMaxMin(request, context);
  const built = buildProblem(
    workload,
    finder,
    cuts,
    objective,
    workload.services.map(() => 1),
  );
  const { problem } = built;
  const minCost = objective === 'gpus' ? problem.minGpus : 0;
  const { bound, prices, packing } = await solveProblem(problem, findCostUnit(request), minCost, context);
  if (packing === undefined || packing.excess > 0) return explainShortage(request, problem, context);
  const dealt = await dealPlan(request, problem, packing, context);
  const { signal } = context;
  return finishPlan(request, { built, dealt, prices, bound, strategy: 'exact', ...(signal && { signal }) });
}

async function explainShortage(request: PlanRequest, problem: PackingProblem, context: SearchContext): Promise<PlanResult> {
  const bound = await boundNeed(problem, context);
  const share = context.signal?.aborted === true ? undefined : await findCommonFactor(request, context, 1);
  return {
    kind: 'infeasible',
    conflicts: describeShortage(request, bound, share),
    bound,
    ...(share?.best === undefined ? {} : { bestFraction: share.best.factor }),
  };
}
