import type { SlicePrices } from '../plan/packing-problem.js';
import type { SolveOptions, Solver } from '../solver/solver.js';
import { isUsed } from './gpu-classes.js';
import { type PricedPlans, pricePlans } from './price-plans.js';
import { planKey, type TargetPrices } from './service-plans.js';
import { countCreations, countPodStarts, countTouched, readCounts, type TargetCounts } from './target-counts.js';
import type { ServicePlan, TargetProblem } from './target-problem.js';
import { type Aim, buildTargetProgram } from './target-program.js';

/** A number with the limit that is proven for it. */
export interface Proven {
  readonly achieved: number;
  readonly limit: number;
}

/** A target of least change and what is proven about it. */
export interface FoundTarget {
  readonly counts: TargetCounts;
  readonly podStarts: Proven;
  readonly creations: Proven;
  readonly touched: Proven;
  /** The service plans that a target of so many starts can use: all of them if `podStarts` is proven. */
  readonly plans: readonly ServicePlan[];
}

export interface TargetSearchContext {
  readonly solver: Solver;
  readonly signal?: AbortSignal;
}

/** Most service plans of one service, and of all, that are listed for a proof; and that are tried for another target. */
const mostPlans = { service: 3000, all: 20_000, variant: 2000 } as const;
/** Branch-and-bound nodes for the first aim, for each of the later ones, and for another target. */
const nodes = { podStarts: 3000, ties: 300, variant: 20 } as const;
const rounding = 1e-6;

/**
 * The target with the fewest pod starts, among those the one with the fewest new instances, among those the one that touches
 * the fewest GPUs, at a cost of at most `budget`; undefined when no target was found. `seeds` are service plans with which the
 * budget suffices.
 */
export async function searchTarget(
  problem: TargetProblem,
  budget: number,
  seeds: readonly ServicePlan[],
  slicePrices: SlicePrices,
  context: TargetSearchContext,
): Promise<FoundTarget | undefined> {
  const priced = await pricePlans(problem, budget, seeds, context.solver, context.signal);
  const first = await fewestStarts(problem, budget, priced, slicePrices, context);
  if (first === undefined) return undefined;
  const { plans, podStarts } = first;
  let { counts } = first;
  const improve = async (aim: Aim, measure: (counts: TargetCounts) => number, offset: number): Promise<Proven> => {
    const found = await solveAim(problem, budget, plans, aim, { maxNodes: nodes.ties, absoluteGap: 1 - 1e-4 }, context.solver);
    if (found.counts !== undefined) counts = found.counts;
    const achieved = measure(counts);
    return {
      achieved,
      limit: podStarts.achieved === podStarts.limit ? Math.min(achieved, Math.max(0, Math.ceil(found.bound + offset - rounding))) : 0,
    };
  };
  const creations = await improve({ kind: 'creations', podStarts: podStarts.achieved }, (c) => countCreations(problem, c), 0);
  const used = problem.classes.reduce((sum, group) => sum + (isUsed(group) ? group.gpus.length : 0), 0);
  const touched = await improve(
    { kind: 'touched', podStarts: podStarts.achieved, creations: creations.achieved },
    (c) => countTouched(problem, c),
    used,
  );
  return { counts, podStarts, creations, touched, plans };
}

/**
 * A first target over the plans known says how many starts suffice. Then all service plans that a target at the proven limit
 * can use are listed: the program over them finds such a target, or there is none and the plans of the best one known follow.
 */
async function fewestStarts(
  problem: TargetProblem,
  budget: number,
  priced: PricedPlans,
  slicePrices: SlicePrices,
  { solver }: TargetSearchContext,
): Promise<Pick<FoundTarget, 'counts' | 'podStarts' | 'plans'> | undefined> {
  let limit = Math.max(0, Math.ceil(priced.bound - rounding));
  let best: { readonly counts: TargetCounts; readonly starts: number } | undefined;
  const solve = async (plans: readonly ServicePlan[]): Promise<number> => {
    const options = { objectiveTarget: limit, maxNodes: nodes.podStarts, absoluteGap: 1 - 1e-4 };
    const { counts, bound } = await solveAim(problem, budget, plans, { kind: 'pod-starts' }, options, solver);
    const starts = counts === undefined ? Infinity : countPodStarts(problem, counts);
    if (counts !== undefined && (best === undefined || starts < best.starts)) best = { counts, starts };
    return Math.ceil(bound - rounding);
  };
  await solve(priced.plans);
  if (best === undefined) return undefined;
  let plans: readonly ServicePlan[] | undefined;
  for (const starts of [limit, best.starts]) {
    const listed = listPlans(problem, budget, priced, slicePrices, starts);
    if (listed === undefined) break;
    if (best.starts > limit) limit = Math.max(limit, Math.min(await solve(listed), starts + 1));
    plans = listed;
    if (best.starts <= starts) break;
  }
  return { counts: best.counts, plans: plans ?? priced.plans, podStarts: { achieved: best.starts, limit: Math.min(best.starts, limit) } };
}

/**
 * All service plans that a target of at most `starts` pod starts within the budget can use, and those known; undefined when
 * they are too many. A plan is ruled out by what it costs too much at the prices of starts, or at those of GPUs: every other
 * service costs at least its cheapest plan, and all together no more than what is allowed.
 */
function listPlans(
  problem: TargetProblem,
  budget: number,
  priced: PricedPlans,
  slicePrices: SlicePrices,
  starts: number,
): readonly ServicePlan[] | undefined {
  const gpuPrices: TargetPrices = { size: slicePrices.size, type: new Float64Array(problem.fleet.types.list.length), start: 0 };
  const cheapest = priced.searches.map((search) => search?.cheapest(gpuPrices).lower ?? 0);
  const held = problem.packing.pools.reduce(
    (sum, { limit }, g) => sum + (limit === Infinity ? 0 : limit * (slicePrices.pool[g] as number)),
    0,
  );
  const slack = budget + held - cheapest.reduce((sum, cost) => sum + cost, 0) + rounding;
  const plans = [...priced.plans];
  const known = new Set(plans.map(planKey));
  for (const [i, search] of priced.searches.entries()) {
    if (search === undefined) continue;
    const budgets = [
      { prices: priced.prices, limit: (priced.planPrice[i] as number) + starts - priced.bound + rounding },
      { prices: gpuPrices, limit: (cheapest[i] as number) + slack },
    ];
    const found = search.within(budgets, mostPlans.service);
    if (found === undefined) return undefined;
    for (const plan of found) if (!known.has(planKey(plan))) plans.push(plan);
    if (plans.length > mostPlans.all) return undefined;
  }
  return plans;
}

/** Solves the program of one aim over given service plans; `bound` is a proven limit on its cost. */
export async function solveAim(
  problem: TargetProblem,
  budget: number,
  plans: readonly ServicePlan[],
  aim: Aim,
  options: SolveOptions,
  solver: Solver,
): Promise<{ readonly counts?: TargetCounts; readonly bound: number }> {
  const program = buildTargetProgram(problem, budget, plans, aim);
  const { x, bound } = await solver.solve(program.builder.build(), options);
  return x.length === 0 ? { bound } : { counts: readCounts(problem, program, plans, x), bound };
}

/** Another target with as few pod starts and up to so many more new instances; which one depends on the seed. Undefined when none comes up. */
export async function findVariant(
  problem: TargetProblem,
  budget: number,
  found: FoundTarget,
  moreCreations: number,
  seed: number,
  solver: Solver,
): Promise<TargetCounts | undefined> {
  const aim = { kind: 'variant', podStarts: found.podStarts.achieved, creations: found.creations.achieved + moreCreations, seed } as const;
  // With few plans a variant may not come up; with all of them it takes as long as the target itself.
  const step = Math.ceil(found.plans.length / mostPlans.variant);
  const plans = found.plans.filter((_, p) => (p + seed) % step === 0);
  const { counts } = await solveAim(problem, budget, plans, aim, { maxNodes: nodes.variant, relativeGap: 0.05 }, solver);
  return counts;
}
