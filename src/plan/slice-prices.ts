import { ProgramBuilder } from '../solver/program-builder.js';
import type { Solver, SolverSession } from '../solver/solver.js';
import { CoverSearch } from './cheapest-cover.js';
import type { PackingProblem, SlicePrices } from './packing-problem.js';

/** Prices, the lower limit they prove, and how the search for them ended. */
export interface PricedBound {
  readonly prices: SlicePrices;
  /** No packing costs less. */
  readonly value: number;
  /** No prices prove more than about this: equal to `value` within the tolerance once the search has converged. */
  readonly ceiling: number;
}

/** Relative distance of bound and ceiling at which the search stops: 5e-5 GPUs on a fleet of 5000. */
const tolerance = 1e-8;
const maxRounds = 400;
/** Services are bundled into this many cut families: fewer make the program small, more make rounds few. */
const maxBundles = 48;
/** Pool prices are searched up to this multiple of the dearest GPU; beyond it a shortage is certain. */
export const poolPriceCap = 1e4;

/**
 * Finds the slice prices that prove the highest lower limit, by Kelley's cutting planes on the concave function
 * bound(u) = Σ cheapest cover(u) − Σ limit·w. Stops early when `enough(value)` says so, or the signal is raised; the
 * prices so far are a valid certificate at any time.
 */
export async function findSlicePrices(
  problem: PackingProblem,
  solver: Solver,
  options: { readonly signal?: AbortSignal; readonly enough?: (value: number, ceiling: number) => boolean } = {},
): Promise<PricedBound> {
  const bundles = bundleServices(problem);
  const evaluator = new BoundEvaluator(problem, bundles);
  let best = evaluator.evaluate(fitPrices(problem, proportionalPrices(problem)));
  let ceiling = Infinity;
  if (bundles.length === 0) return { prices: best.prices, value: 0, ceiling: 0 };
  let session: SolverSession | undefined;
  try {
    session = await openMaster(problem, bundles.length, solver);
    await addCuts(session, problem, bundles.length, best.cuts);
    for (let round = 0; round < maxRounds && options.signal?.aborted !== true; round++) {
      const solution = await session.solve({ presolve: false });
      if (solution.status !== 'optimal') break;
      ceiling = Math.min(ceiling, -solution.objective);
      const step = evaluator.evaluate(fitPrices(problem, pricesAt(problem, solution.x)));
      if (step.value > best.value) best = step;
      if (ceiling - Math.max(best.value, step.reached) <= tolerance * Math.max(1, Math.abs(ceiling))) break;
      if (options.enough?.(best.value, ceiling) === true) break;
      await addCuts(session, problem, bundles.length, step.cuts);
    }
  } catch (error) {
    if (options.signal?.aborted !== true) throw error;
  } finally {
    // A solver that was stopped has closed it already.
    await session?.close().catch(() => {});
  }
  return { prices: best.prices, value: Math.max(0, best.value), ceiling: Math.max(0, ceiling) };
}

/** The lower limit that given prices prove for a problem; they must be affordable (`fitPrices`). */
export function boundAt(problem: PackingProblem, prices: SlicePrices): number {
  return new BoundEvaluator(problem, bundleServices(problem)).evaluate(prices).value;
}

interface Evaluation {
  readonly prices: SlicePrices;
  readonly value: number;
  /** As `value`, with the covers found in place of their proven limits: no more cuts come from here once it meets the ceiling. */
  readonly reached: number;
  /** Instances bought per bundle and size. */
  readonly cuts: Float64Array;
}

class BoundEvaluator {
  readonly #problem: PackingProblem;
  readonly #bundles: readonly Int32Array[];
  readonly #search: CoverSearch;

  constructor(problem: PackingProblem, bundles: readonly Int32Array[]) {
    this.#problem = problem;
    this.#bundles = bundles;
    this.#search = new CoverSearch(problem.sizeCount);
  }

  evaluate(prices: SlicePrices): Evaluation {
    const { sizeCount, throughput, demand, minCount, pools } = this.#problem;
    const cuts = new Float64Array(this.#bundles.length * sizeCount);
    let value = 0;
    let unproven = 0;
    for (const [b, bundle] of this.#bundles.entries()) {
      for (const i of bundle) {
        const cover = this.#search.cheapest(prices.size, throughput, i * sizeCount, demand[i] as number, minCount[i] as number);
        value += cover.lower;
        unproven += cover.cost - cover.lower;
        for (let k = 0; k < sizeCount; k++) (cuts[b * sizeCount + k] as number) += cover.counts[k] as number;
      }
    }
    for (const [g, pool] of pools.entries()) {
      if (pool.limit !== Infinity) value -= pool.limit * (prices.pool[g] as number);
    }
    return { prices, value, reached: value + unproven, cuts };
  }
}

function bundleServices(problem: PackingProblem): readonly Int32Array[] {
  const active: number[] = [];
  for (let i = 0; i < problem.serviceCount; i++) if ((problem.demand[i] as number) > 0) active.push(i);
  const count = Math.min(active.length, maxBundles);
  return Array.from({ length: count }, (_, b) => Int32Array.from(active.filter((_, at) => at % count === b)));
}

/** Columns: slice prices, pool prices, one value per bundle. Rows: no layout is worth more than its GPU costs. */
async function openMaster(problem: PackingProblem, bundleCount: number, solver: Solver): Promise<SolverSession> {
  const program = new ProgramBuilder();
  for (let k = 0; k < problem.sizeCount; k++) program.column(0, 0, Infinity);
  const dearest = Math.max(...problem.pools.map((pool) => pool.cost));
  for (const pool of problem.pools) {
    if (pool.limit === Infinity) program.column(0, 0, 0);
    else program.column(pool.limit, 0, poolPriceCap * dearest);
  }
  for (let b = 0; b < bundleCount; b++) program.column(-1, -Infinity, Infinity);
  for (const [g, pool] of problem.pools.entries()) {
    for (const layout of (problem.segments[g] as PackingProblem['segments'][number]).layouts) {
      const row = program.row(-Infinity, pool.cost);
      for (const [k, count] of layout.entries()) program.entry(row, k, count);
      program.entry(row, problem.sizeCount + g, -1);
    }
  }
  return solver.open(program.build());
}

/** A bundle is worth no more than what it bought costs at the prices asked for: value_b − Σ bought·u ≤ 0. */
async function addCuts(session: SolverSession, problem: PackingProblem, bundleCount: number, cuts: Float64Array): Promise<void> {
  const { sizeCount } = problem;
  const indices: number[] = [];
  const values: number[] = [];
  const starts = new Int32Array(bundleCount + 1);
  for (let b = 0; b < bundleCount; b++) {
    for (let k = 0; k < sizeCount; k++) {
      const bought = cuts[b * sizeCount + k] as number;
      if (bought === 0) continue;
      indices.push(k);
      values.push(-bought);
    }
    indices.push(sizeCount + problem.pools.length + b);
    values.push(1);
    starts[b + 1] = indices.length;
  }
  await session.addRows(
    { starts, indices: Int32Array.from(indices), values: Float64Array.from(values) },
    new Float64Array(bundleCount).fill(-Infinity),
    new Float64Array(bundleCount),
  );
}

function pricesAt(problem: PackingProblem, x: Float64Array): SlicePrices {
  return {
    size: x.slice(0, problem.sizeCount).map((price) => Math.max(0, price)),
    pool: x.slice(problem.sizeCount, problem.sizeCount + problem.pools.length).map((price) => Math.max(0, price)),
  };
}

/** Every size costs the share of the GPU that a GPU full of it would give: a feasible, fair first guess. */
function proportionalPrices(problem: PackingProblem): SlicePrices {
  const size = new Float64Array(problem.sizeCount);
  for (const [g, pool] of problem.pools.entries()) {
    for (const layout of (problem.segments[g] as PackingProblem['segments'][number]).layouts) {
      let kinds = 0;
      for (const count of layout) if (count > 0) kinds++;
      for (const [k, count] of layout.entries()) {
        if (count === 0) continue;
        const share = pool.cost / (count * kinds);
        const known = size[k] as number;
        size[k] = known === 0 ? share : Math.min(known, share);
      }
    }
  }
  return { size, pool: new Float64Array(problem.pools.length) };
}

/** Shrinks the slice prices of each pool by the factor that makes every layout affordable, so that rounding never voids the proof. */
export function fitPrices(problem: PackingProblem, prices: SlicePrices): SlicePrices {
  const size = prices.size.slice();
  for (const [g, pool] of problem.pools.entries()) {
    const allowed = pool.cost + (prices.pool[g] as number);
    let dearest = 0;
    for (const layout of (problem.segments[g] as PackingProblem['segments'][number]).layouts) {
      let worth = 0;
      for (const [k, count] of layout.entries()) worth += count * (prices.size[k] as number);
      if (worth > dearest) dearest = worth;
    }
    if (dearest <= allowed) continue;
    const factor = (allowed / dearest) * (1 - 1e-15);
    for (let k = 0; k < problem.sizeCount; k++) if (problem.poolOfSize[k] === g) (size[k] as number) *= factor;
  }
  return { size, pool: prices.pool };
}
