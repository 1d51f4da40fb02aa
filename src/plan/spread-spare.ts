import { countGpus } from '../demand/documents/unfold-plan.js';
import type { BuiltProblem } from './build-problem.js';
import type { DealtPlan } from './deal-instances.js';
import { dealPlan } from './deal-plan.js';
import type { SearchContext } from './solve-problem.js';
import { findCommonFactor } from './strategies/max-min.js';
import type { PlanRequest } from './strategies/strategy.js';

/** Beyond this share of spare capacity more of it helps nobody. */
const mostSpare = 16;

/**
 * Shares out what the GPUs of a plan have to spare: among the plans on as many GPUs of each pool the one in which the fullest service is
 * least full, within the width of the search for it. Operating points stay those of the rates.
 */
export async function spreadSpare(request: PlanRequest, built: BuiltProblem, dealt: DealtPlan, context: SearchContext): Promise<DealtPlan> {
  const cuts = request.cuts.map((cut, c) => ({ ...cut, limit: countGpus(dealt.gpus.filter((gpu) => gpu.cut === c)) }));
  const { problem } = built;
  const onFleet = {
    ...problem,
    pools: problem.pools.map((_, g) => ({ cost: 1, limit: cuts.reduce((sum, cut) => (cut.pool === g ? sum + cut.limit : sum), 0) })),
    segments: problem.segments.map((segment, s) => ({ ...segment, limit: (cuts[s] as (typeof cuts)[number]).limit })),
  };
  const scale = (factors: readonly number[]): BuiltProblem => ({
    problem: { ...onFleet, demand: problem.demand.map((rate, i) => rate * (factors[i] as number)) },
    points: built.points,
  });
  const { best } = await findCommonFactor({ ...request, cuts }, context, mostSpare, undefined, scale);
  if (best === undefined || best.factor <= 1) return dealt;
  const spread = await dealPlan({ ...request, cuts }, best.built.problem, best.packing, context);
  const isWorse = countGpus(spread.gpus) > countGpus(dealt.gpus) || spread.crowded.length > dealt.crowded.length;
  return isWorse ? dealt : spread;
}
