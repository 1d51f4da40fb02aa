import type { Solver } from '../solver/solver.js';
import { findPacking } from './find-packing.js';
import { findPriceUnit, roundUpToSum } from './objective-unit.js';
import { addPackings, packInBulk } from './pack-in-bulk.js';
import type { Packing, PackingProblem, SlicePrices } from './packing-problem.js';
import { findSlicePrices } from './slice-prices.js';
import { trimInstances } from './trim-instances.js';

/** A demand must exceed what the pools hold by this share before that counts as proven: far above rounding in sums of prices. */
export const proofMargin = 1e-6;

/** What a search may use and whom it tells. */
export interface SearchContext {
  readonly solver: Solver;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** How far a search has come; a value that is not known yet is left out. */
export interface Progress {
  readonly bound?: number;
  readonly best?: number;
  /** Rounds done by a search that goes in rounds. */
  readonly round?: number;
}

/** The best packing found for a problem, with the bound that it is measured against. */
export interface SolvedProblem {
  readonly prices: SlicePrices;
  /** Proven limit on the cost: the prices' or that of replicas on different GPUs. */
  readonly bound: number;
  /** Absent when the prices prove that the pools cannot hold the demand. */
  readonly packing?: Packing;
}

/**
 * Prices first, then whole instances on whole GPUs. A search that is stopped gives its best so far.
 */
export async function solveProblem(problem: PackingProblem, context: SearchContext): Promise<SolvedProblem> {
  const { signal } = context;
  const { prices, bound, tooMuch } = await proveBound(problem, context);
  if (tooMuch) return { prices, bound };
  const costs = problem.pools.map((pool) => pool.cost);
  const bulk = await packInBulk(problem, context.solver);
  const packed = bulk?.packing.cost ?? 0;
  const packing = await findPacking(bulk?.rest ?? problem, context.solver, prices, {
    target: roundUpToSum(bound, costs) - packed,
    unit: findPriceUnit(costs),
    ...(signal && { signal }),
    onImprove: ({ cost, excess }) => {
      if (excess === 0) context.onProgress?.({ bound, best: packed + cost });
    },
  });
  return { prices, bound, packing: trimInstances(problem, bulk === undefined ? packing : addPackings(bulk.packing, packing)) };
}

/** The slice prices and the limit they prove; `tooMuch` when it is proven that the pools cannot hold the demand. */
export async function proveBound(
  problem: PackingProblem,
  context: SearchContext,
): Promise<{ readonly prices: SlicePrices; readonly bound: number; readonly tooMuch: boolean }> {
  const { signal } = context;
  const held = problem.pools.reduce((sum, pool) => sum + pool.limit * pool.cost, 0);
  const isTooMuch = (value: number): boolean => value > held * (1 + proofMargin);
  const { prices, value } = await findSlicePrices(problem, context.solver, { ...(signal && { signal }), enough: isTooMuch });
  // Replicas want so many different GPUs, each at least as dear as the cheapest.
  const bound = Math.max(value, problem.minGpus * Math.min(...problem.pools.map((pool) => pool.cost)));
  context.onProgress?.({ bound });
  return { prices, bound, tooMuch: isTooMuch(value) };
}

/** The cost that no packing is below when the pools had no limits: what a demand needs, whatever there is. */
export async function boundNeed(problem: PackingProblem, context: SearchContext): Promise<number> {
  const unlimited = problem.pools.map((pool) => ({ ...pool, limit: Infinity }));
  const { value } = await findSlicePrices({ ...problem, pools: unlimited }, context.solver, context);
  return value;
}
