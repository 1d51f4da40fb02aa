import type { Service, Workload } from '../../demand/workload.js';
import { type BuiltProblem, buildProblem } from '../build-problem.js';
import { dealPlan } from '../deal-plan.js';
import { finishPlan } from '../finish-plan.js';
import { describeCrowding, describeEarlyStop, describeShortage } from '../infeasible.js';
import type { PackingProblem } from '../packing-problem.js';
import type { PlanResult } from '../plan-result.js';
import { boundNeed, proofMargin, proveBound, type SearchContext, solveProblem } from '../solve-problem.js';
import { spreadSpare } from '../spread-spare.js';
import { findCommonFactor, planMaxMin } from './max-min.js';
import type { PlanRequest } from './strategy.js';

/**
 * The product's own planner: slice prices prove a limit, service plans and small integer programs reach it.
 * docs/design/0001-slice-prices.md tells the method and its numbers. With headroom the limit is still that of the rates alone, so that
 * the gap shows what the headroom costs.
 */
export async function planExactly(request: PlanRequest, context: SearchContext): Promise<PlanResult> {
  const { workload, finder, cuts, objective, headroom } = request;
  if (objective === 'max-min') return planMaxMin(request, context);
  const built = buildProblem(
    workload,
    finder,
    cuts,
    objective,
    workload.services.map(() => 1),
  );
  const raised = headroom === undefined ? built : addHeadroom(built, workload, headroom);
  const solved = await solveProblem(raised.problem, context);
  const { packing } = solved;
  if (packing === undefined || packing.excess > 0) return explainShortage(request, raised.problem, context);
  const { bound, prices } = headroom === undefined ? solved : await proveBound(built.problem, context);
  const packed = await dealPlan(request, raised.problem, packing, context);
  const dealt = request.spare === 'spread' ? await spreadSpare(request, raised, packed, context) : packed;
  if (dealt.crowded.length > 0) return { kind: 'infeasible', conflicts: describeCrowding(request, dealt.crowded), bound };
  const { signal } = context;
  return finishPlan(request, { built, dealt, prices, bound, strategy: 'exact', ...(signal && { signal }) });
}

/** Services that are to have room for more than their rate demand that much more; what a slice can carry stays as it is at the rate. */
function addHeadroom({ problem, points }: BuiltProblem, { services }: Workload, headroom: ReadonlyMap<string, number>): BuiltProblem {
  const demand = problem.demand.map((rate, i) => rate * (headroom.get((services[i] as Service).name) ?? 1));
  return { problem: { ...problem, demand }, points };
}

async function explainShortage(request: PlanRequest, problem: PackingProblem, context: SearchContext): Promise<PlanResult> {
  const bound = await boundNeed(problem, context);
  const held = problem.pools.reduce((sum, pool) => sum + pool.limit * pool.cost, 0);
  const isStopped = context.signal?.aborted === true;
  if (isStopped && bound <= held * (1 + proofMargin)) return { kind: 'infeasible', conflicts: describeEarlyStop(), bound };
  const share = isStopped ? undefined : await findCommonFactor(request, context, 1);
  return {
    kind: 'infeasible',
    conflicts: describeShortage(request, bound, share),
    bound,
    ...(share?.best === undefined ? {} : { bestFraction: share.best.factor }),
  };
}
