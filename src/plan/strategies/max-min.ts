import { type BuiltProblem, buildProblem } from '../build-problem.js';
import { dealPlan } from '../deal-plan.js';
import { findPacking } from '../find-packing.js';
import { listTakenIds } from '../held-gpus.js';
import { describeCrowding, describeEarlyStop, describeShortage } from '../infeasible.js';
import type { Packing, SlicePrices } from '../packing-problem.js';
import type { PlanResult } from '../plan-result.js';
import { boundAt, findSlicePrices } from '../slice-prices.js';
import { proofMargin, type SearchContext } from '../solve-problem.js';
import { stopReason } from '../stop-reason.js';
import { trimInstances } from '../trim-instances.js';
import { writePlan } from '../write-plan.js';
import type { PlanRequest } from './strategy.js';

/** Relative width to which the proven limit of the factor is found. */
const boundWidth = 5e-7;
/** How far below the limit packings are tried, step by step, before the search falls back to halving. */
const stepsBelow = [0, 5e-5, 2e-4, 5e-4, 1e-3, 1.5e-3, 2e-3, 3e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 0.95] as const;
/** The same once the search has been stopped: an answer soon matters more than a large one. */
const stepsWhenStopped = [0, 0.5, 0.75, 0.9, 0.99] as const;
/** Halvings between a factor that was missed and the next one that was reached. */
const climbRounds = 6;
/** Factors beyond this are not looked for: the services want next to nothing of this fleet. */
const largestFactor = 1e18;

/** The factor that was reached, with the packing that reaches it. */
export interface ReachedFactor {
  readonly factor: number;
  readonly factors: readonly number[];
  readonly built: BuiltProblem;
  readonly packing: Packing;
}

/** The proven limit of a common factor, its certificate, and the best packing found. */
export interface CommonFactor {
  /** No packing serves more than this share of every rate; at most `most`. */
  readonly bound: number;
  readonly prices: SlicePrices;
  readonly best?: ReachedFactor;
}

/** The factor of every service, given the one that is searched. */
type Spread = (factor: number) => readonly number[];

/** The packing problem when every rate is multiplied by its factor. */
type Build = (factors: readonly number[]) => BuiltProblem;

/**
 * The largest common factor of every rate that the pools can serve, up to `most`: the proven limit by bisection on the
 * slice-price bound (operating points are found anew at every factor, unless `build` does otherwise), then the best packing at
 * or just below it.
 */
export async function findCommonFactor(
  request: PlanRequest,
  context: SearchContext,
  most: number,
  spread: Spread = (factor) => request.workload.services.map(() => factor),
  build: Build = (factors) => buildProblem(request.workload, request.finder, request.cuts, 'gpus', factors),
): Promise<CommonFactor> {
  const { bound, prices, feasible } = await boundFactor(build, context, most, spread);
  const best = await reachFactor(build, context, feasible, spread);
  return { bound, prices, ...(best === undefined ? {} : { best }) };
}

interface Probe {
  readonly impossible: boolean;
  readonly prices: SlicePrices;
}

/** Asks the slice prices whether the pools can hold the demand at all: `impossible` is proven. */
async function probe(build: Build, context: SearchContext, factors: readonly number[]): Promise<Probe> {
  const { problem } = build(factors);
  const held = problem.pools.reduce((sum, pool) => sum + pool.limit, 0);
  const limit = held * (1 + proofMargin);
  const priced = await findSlicePrices(problem, context.solver, {
    ...(context.signal && { signal: context.signal }),
    enough: (value, ceiling) => value > limit || ceiling <= held,
  });
  return { impossible: priced.value > limit, prices: priced.prices };
}

async function boundFactor(
  build: Build,
  context: SearchContext,
  most: number,
  spread: Spread,
): Promise<{ bound: number; prices: SlicePrices; feasible: number }> {
  let low = 0;
  let high = Math.min(1, most);
  let last = await probe(build, context, spread(high));
  while (!last.impossible && high < most && context.signal?.aborted !== true) {
    low = high;
    high = Math.min(most, high * 2);
    last = await probe(build, context, spread(high));
  }
  if (!last.impossible && high >= most) return { bound: most, prices: last.prices, feasible: high };
  if (!last.impossible) return { ...growUntilProven(build, last.prices, high, most, spread), feasible: high };
  let proof = last;
  while (high - low > boundWidth * high && high > 1e-9 && context.signal?.aborted !== true) {
    const middle = low === 0 ? high / 2 : (low + high) / 2;
    const next = await probe(build, context, spread(middle));
    if (next.impossible) {
      high = middle;
      proof = next;
    } else low = middle;
  }
  return { bound: high, prices: proof.prices, feasible: low };
}

/** Stopped before anything was ruled out: the prices there are rule out some larger factor, which needs no solver. */
function growUntilProven(
  build: Build,
  prices: SlicePrices,
  from: number,
  most: number,
  spread: Spread,
): { bound: number; prices: SlicePrices } {
  for (let factor = from; factor < most; factor *= 2) {
    const { problem } = build(spread(factor));
    const held = problem.pools.reduce((sum, pool) => sum + pool.limit, 0);
    if (boundAt(problem, prices) > held * (1 + proofMargin)) return { bound: factor, prices };
  }
  return { bound: most, prices };
}

async function reachFactor(build: Build, context: SearchContext, from: number, spread: Spread): Promise<ReachedFactor | undefined> {
  if (from === 0) return undefined;
  let missed: number | undefined;
  for (const below of context.signal?.aborted === true ? stepsWhenStopped : stepsBelow) {
    const factor = from * (1 - below);
    const reached = await tryFactor(build, context, factor, spread);
    if (reached !== undefined) return missed === undefined ? reached : climb(build, context, reached, missed, spread);
    missed = factor;
  }
  return undefined;
}

/** Halves the way between a factor that was reached and one that was missed. */
async function climb(build: Build, context: SearchContext, reached: ReachedFactor, missed: number, spread: Spread): Promise<ReachedFactor> {
  let best = reached;
  let above = missed;
  for (let round = 0; round < climbRounds && above - best.factor > boundWidth * above && context.signal?.aborted !== true; round++) {
    const middle = (best.factor + above) / 2;
    const next = await tryFactor(build, context, middle, spread);
    if (next === undefined) above = middle;
    else best = next;
  }
  return best;
}

async function tryFactor(build: Build, context: SearchContext, factor: number, spread: Spread): Promise<ReachedFactor | undefined> {
  const factors = spread(factor);
  const built = build(factors);
  const { problem } = built;
  const held = problem.pools.reduce((sum, pool) => sum + pool.limit, 0);
  const { prices } = await findSlicePrices(problem, context.solver, context);
  const search = { target: held, unit: 1, ...(context.signal && { signal: context.signal }) };
  const packing = await findPacking(problem, context.solver, prices, search);
  if (packing.excess > 0) return undefined;
  context.onProgress?.({ best: factor });
  return { factor, factors, built, packing: trimInstances(problem, packing) };
}

/**
 * Objective `max-min`: the largest share of every rate that a fixed fleet can serve, below or above 1. With priorities,
 * class after class: a class gets up to its whole rate before the next one gets anything; once every class has its whole
 * rate, all of them share one factor above 1.
 */
export async function planMaxMin(request: PlanRequest, context: SearchContext): Promise<PlanResult> {
  const { workload } = request;
  const wanting = workload.services.filter((service) => service.rateRps > 0);
  const classes = [...new Set(wanting.map(({ priority }) => priority))].sort((a, b) => b - a);
  const staged = classes.length > 1 ? await serveByClass(request, context, classes) : undefined;
  if (staged?.cut !== undefined) return writeFactorPlan(request, context, staged.cut, staged.cut.best?.factor ?? 0, staged.reached);
  const common = await findCommonFactor(request, context, largestFactor);
  // Class by class every rate may have been met where the common search stops short of it.
  const reached = (common.best?.factor ?? 0) < 1 ? (staged?.reached ?? common.best) : common.best;
  return writeFactorPlan(request, context, common, reached?.factor ?? 0, reached);
}

/** Serves the classes in turn; `cut` is the first that does not get its whole rate, if any. */
async function serveByClass(
  request: PlanRequest,
  context: SearchContext,
  classes: readonly number[],
): Promise<{ readonly cut?: CommonFactor; readonly reached?: ReachedFactor }> {
  const settled = new Map<number, number>();
  let cut: CommonFactor | undefined;
  let reached: ReachedFactor | undefined;
  for (const priority of classes) {
    const found = await findCommonFactor(request, context, 1, (factor) =>
      request.workload.services.map((service) => (service.priority === priority ? factor : (settled.get(service.priority) ?? 0))),
    );
    const factor = found.best?.factor ?? 0;
    settled.set(priority, factor);
    reached = found.best ?? reached;
    if (factor < 1) cut ??= found;
  }
  return { ...(cut && { cut }), ...(reached && { reached }) };
}

async function writeFactorPlan(
  request: PlanRequest,
  context: SearchContext,
  proof: CommonFactor,
  factor: number,
  reached: ReachedFactor | undefined,
): Promise<PlanResult> {
  const { workload, finder, cuts } = request;
  if (reached === undefined && context.signal?.aborted === true) return { kind: 'infeasible', conflicts: describeEarlyStop() };
  if (reached === undefined) return { kind: 'infeasible', conflicts: describeShortage(request, 0, proof), bestFraction: 0 };
  const dealt = await dealPlan(request, reached.built.problem, reached.packing, context);
  if (dealt.crowded.length > 0) return { kind: 'infeasible', conflicts: describeCrowding(request, dealt.crowded) };
  const optimal = factor >= proof.bound * (1 - 1e-6);
  const plan = writePlan({
    workload,
    finder,
    built: reached.built,
    cuts,
    gpus: dealt.gpus,
    takenIds: listTakenIds(request.current),
    objective: 'max-min',
    strategy: 'exact',
    prices: { size: proof.prices.size, pool: proof.prices.pool.map((price) => price + 1) },
    bound: proof.bound,
    factors: reached.factors,
    factor,
    optimal,
    stoppedBy: optimal ? 'proof' : stopReason(context.signal),
  });
  return { kind: 'plan', plan };
}
