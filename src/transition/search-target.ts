import type { SlicePrices } from '../plan/packing-problem.js';
import type { SolveOptions, Solver } from '../solver/solver.js';
import { isUsed } from './gpu-classes.js';
import { solveNearRelaxation } from './near-relaxation.js';
import { type PricedPlans, pricePlans } from './price-plans.js';
import { planKey, type TargetPrices } from './service-plans.js';
import { countCreations, countPodStarts, countTouched, readCounts, type TargetCounts } from './target-counts.js';
import type { PlanList, ServicePlan, TargetProblem } from './target-problem.js';
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
  readonly list: PlanList;
  /** Whether `podStarts` is proven and `list` has all plans of such targets, so that limits of later aims hold. */
  readonly isProven: boolean;
}

export interface TargetSearchContext {
  readonly solver: Solver;
  readonly signal?: AbortSignal;
}

/** Most service plans of one service, and of all, that are listed for a proof; and that are tried for another target. */
const mostPlans = { service: 3000, all: 20_000, variant: 2000 } as const;
/**
 * With more classes of GPUs than this a whole program takes minutes. Then a target this share above the limit of pod starts is
 * good enough, and the later aims are left as they come.
 */
const manyClasses = 600;
const goodShare = 0.01;
/** From so many plans on a whole program takes seconds. */
const manyPlans = 500;
/** Each gives other prices, which rule out other plans. */
const mostRelaxations = 3;
/** Branch-and-bound nodes for the first aim, for each of the later ones, for another target, and near the relaxation. */
const nodes = { podStarts: 3000, ties: 300, variant: 20, near: 300 } as const;
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
  const { list, podStarts, isProven } = first;
  let { counts } = first;
  const improve = async (aim: TieAim): Promise<Proven> => {
    if (problem.classes.length > manyClasses) return { achieved: measure(problem, counts, aim), limit: 0 };
    const found = await solveTie(problem, budget, list, aim, counts, context.solver);
    if (found.counts !== undefined) counts = found.counts;
    const achieved = measure(problem, counts, aim);
    return { achieved, limit: isProven ? Math.min(achieved, found.limit) : 0 };
  };
  const creations = await improve({ kind: 'creations', podStarts: podStarts.achieved });
  const touched = await improve({ kind: 'touched', podStarts: podStarts.achieved, creations: creations.achieved });
  return { counts, podStarts, creations, touched, list, isProven };
}

type TieAim = Extract<Aim, { readonly kind: 'creations' | 'touched' }>;

function measure(problem: TargetProblem, counts: TargetCounts, { kind }: TieAim): number {
  return kind === 'creations' ? countCreations(problem, counts) : countTouched(problem, counts);
}

/**
 * The best for a later aim, and the number that no target of these plans is below. Of many plans, the fewest GPUs touched are
 * looked for near the relaxation first: where they are as few as there, the whole program need not be solved.
 */
async function solveTie(
  problem: TargetProblem,
  budget: number,
  list: PlanList,
  aim: TieAim,
  known: TargetCounts,
  solver: Solver,
): Promise<{ readonly counts?: TargetCounts; readonly limit: number }> {
  // The program counts GPUs that are left alone from below 0.
  const used = problem.classes.reduce((sum, group) => sum + (isUsed(group) ? group.gpus.length : 0), 0);
  const limitOf = (bound: number): number => Math.max(0, Math.ceil((aim.kind === 'touched' ? bound + used : bound) - rounding));
  const options = { maxNodes: nodes.ties, absoluteGap: 1 - 1e-4 };
  if (aim.kind === 'touched' && list.plans.length > manyPlans) {
    const near = await solveNearRelaxation(problem, budget, list, aim, options, solver, known);
    if (near !== undefined && measure(problem, near.counts, aim) <= limitOf(near.bound)) {
      return { counts: near.counts, limit: limitOf(near.bound) };
    }
  }
  const found = await solveAim(problem, budget, list, aim, options, solver);
  return { ...(found.counts && { counts: found.counts }), limit: limitOf(found.bound) };
}

/** How few GPUs a target with as few pod starts and so many new instances touches at least, proven. */
export async function boundTouched(
  problem: TargetProblem,
  budget: number,
  { counts, list, podStarts, creations, touched, isProven }: FoundTarget,
  newInstances: number,
  solver: Solver,
): Promise<number> {
  if (newInstances <= creations.achieved) return touched.limit;
  if (!isProven || problem.classes.length > manyClasses) return 0;
  const aim = { kind: 'touched', podStarts: podStarts.achieved, creations: newInstances } as const;
  return (await solveTie(problem, budget, list, aim, counts, solver)).limit;
}

/**
 * All service plans that a target at the proven limit can use are listed: the program over them finds such a target, or there is
 * none, and the plans for as many starts as the best one known has follow.
 */
async function fewestStarts(
  problem: TargetProblem,
  budget: number,
  priced: PricedPlans,
  slicePrices: SlicePrices,
  { solver, signal }: TargetSearchContext,
): Promise<Pick<FoundTarget, 'counts' | 'podStarts' | 'list' | 'isProven'> | undefined> {
  let limit = Math.max(0, Math.ceil(priced.bound - rounding));
  let best: { readonly counts: TargetCounts; readonly starts: number } | undefined;
  const take = (counts: TargetCounts | undefined): void => {
    const starts = counts === undefined ? Infinity : countPodStarts(problem, counts);
    if (counts !== undefined && (best === undefined || starts < best.starts)) best = { counts, starts };
  };
  const solve = async (list: PlanList): Promise<number> => {
    const options = { objectiveTarget: limit, maxNodes: nodes.podStarts, absoluteGap: 1 - 1e-4 };
    const { counts, bound } = await solveAim(problem, budget, list, { kind: 'pod-starts' }, options, solver);
    take(counts);
    return Math.ceil(bound - rounding);
  };
  const isMany = problem.classes.length > manyClasses;
  let list: PlanList = { plans: priced.plans, open: new Set() };
  const nearOptions = { objectiveTarget: limit, maxNodes: nodes.near, absoluteGap: 1 - 1e-4 };
  if (isMany) take((await solveNearRelaxation(problem, budget, list, { kind: 'pod-starts' }, nearOptions, solver))?.counts);
  const isGood = (): boolean => best !== undefined && best.starts <= limit * (isMany ? 1 + goodShare : 1);
  let isComplete = false;
  const relaxations: PricedPlans[] = [priced];
  for (let [starts, tried] = [limit, -1]; !isComplete && starts > tried && !(isMany && isGood()); ) {
    const listed = listPlans(problem, budget, relaxations, slicePrices, starts);
    if (listed.open.size > 0) {
      if (isMany) break;
      if (starts > limit) {
        // Too many for a target as good as the best one known: then one start more at a time.
        starts = limit;
        continue;
      }
    }
    if (best === undefined || best.starts > limit) limit = Math.max(limit, Math.min(await solve(listed), starts + 1));
    if (best === undefined) break;
    list = listed;
    isComplete = best.starts <= starts;
    if (!isComplete && relaxations.length < mostRelaxations) {
      const seeds = [...listed.plans, ...priced.plans.filter(({ service }) => listed.open.has(service))];
      relaxations.push(await pricePlans(problem, budget, seeds, solver, signal));
    }
    tried = starts;
    starts = best.starts;
  }
  if (best === undefined) await solve(list);
  if (best === undefined) return undefined;
  const podStarts = { achieved: best.starts, limit: Math.min(best.starts, limit) };
  return { counts: best.counts, list, podStarts, isProven: isComplete && podStarts.achieved === podStarts.limit };
}

/**
 * All service plans that a target of at most `starts` pod starts within the budget can use, and those known; services with too
 * many are left open. A plan is ruled out by what it costs too much at the prices of starts, or at those of GPUs: every other
 * service costs at least its cheapest plan, and all together no more than what is allowed.
 */
function listPlans(
  problem: TargetProblem,
  budget: number,
  relaxations: readonly PricedPlans[],
  slicePrices: SlicePrices,
  starts: number,
): PlanList {
  const priced = relaxations[0] as PricedPlans;
  const gpuPrices: TargetPrices = { size: slicePrices.size, type: new Float64Array(problem.fleet.types.list.length), start: 0 };
  const cheapest = priced.searches.map((search) => search?.cheapest(gpuPrices).lower ?? 0);
  const held = problem.packing.pools.reduce(
    (sum, { limit }, g) => sum + (limit === Infinity ? 0 : limit * (slicePrices.pool[g] as number)),
    0,
  );
  const slack = budget + held - cheapest.reduce((sum, cost) => sum + cost, 0) + rounding;
  const plans = [...priced.plans];
  const known = new Set(plans.map(planKey));
  const open = new Set<number>();
  for (const [i, search] of priced.searches.entries()) {
    if (search === undefined) continue;
    const budgets = [
      ...relaxations.map(({ prices, planPrice, bound }) => ({ prices, limit: (planPrice[i] as number) + starts - bound + rounding })),
      { prices: gpuPrices, limit: (cheapest[i] as number) + slack },
    ];
    const found = search.within(budgets, mostPlans.service);
    if (found === undefined || plans.length + found.length > mostPlans.all) open.add(i);
    else for (const plan of found) if (!known.has(planKey(plan))) plans.push(plan);
  }
  return { plans: plans.filter(({ service }) => !open.has(service)), open };
}

/** Solves the program of one aim over given service plans; `bound` is a proven limit on its cost. */
export async function solveAim(
  problem: TargetProblem,
  budget: number,
  list: PlanList,
  aim: Aim,
  options: SolveOptions,
  solver: Solver,
): Promise<{ readonly counts?: TargetCounts; readonly bound: number }> {
  const program = buildTargetProgram(problem, budget, list, aim);
  const { x, bound } = await solver.solve(program.builder.build(), options);
  return x.length === 0 ? { bound } : { counts: readCounts(problem, program, list, x), bound };
}

/**
 * Another target with as few pod starts and up to so many more new instances; which one depends on the seed. Undefined when none
 * comes up. `isQuick` only ends GPUs as the linear relaxation or the target found does.
 */
export async function findVariant(
  problem: TargetProblem,
  budget: number,
  found: FoundTarget,
  moreCreations: number,
  seed: number,
  isQuick: boolean,
  solver: Solver,
): Promise<TargetCounts | undefined> {
  const aim = { kind: 'variant', podStarts: found.podStarts.achieved, creations: found.creations.achieved + moreCreations, seed } as const;
  // With few plans a variant may not come up; with all of them it takes as long as the target itself.
  const { plans, open } = found.list;
  const step = Math.ceil(plans.length / mostPlans.variant);
  const list = { plans: plans.filter((_, p) => (p + seed) % step === 0), open };
  const options = { maxNodes: nodes.variant, relativeGap: 0.05 };
  if (isQuick) return (await solveNearRelaxation(problem, budget, list, aim, options, solver, found.counts))?.counts;
  return (await solveAim(problem, budget, list, aim, options, solver)).counts;
}
