import type { ProgramBuilder } from '../solver/program-builder.js';
import type { Packing, PackingPool, PackingProblem } from './packing-problem.js';

/** Where the GPU part of a program sits. */
export interface GpuColumns {
  /** Row of each size: instances − slots ≤ 0. */
  readonly sizeRow: Int32Array;
  /** First layout column of each segment. */
  readonly firstColumn: Int32Array;
  /** Column of the GPUs beyond the limit, per segment; −1 where there is no limit. */
  readonly excessColumn: Int32Array;
}

/** A GPU beyond a pool's limit costs this many times the dearest GPU, so that it is used only where nothing else fits. */
const excessPenalty = 100;

/**
 * Adds to a program the integer columns "GPUs of segment s with layout p" at their cost, a row per size that leaves
 * room for the instances, and the limits. Limits of empty GPUs are soft (see `excessPenalty`), so a program always has
 * an answer and shows how far it is from one that can be built. `taken` are instances fixed beforehand; `target` is the
 * cost at which a search may stop, which an answer beyond a limit must never look good enough for.
 */
export function addGpuColumns(program: ProgramBuilder, problem: PackingProblem, taken: Float64Array, target = 0): GpuColumns {
  const { pools, segments, sizeCount } = problem;
  const sizeRow = Int32Array.from({ length: sizeCount }, (_, k) => program.row(-Infinity, -(taken[k] as number)));
  const allGpus = problem.minGpus > 1 ? program.row(problem.minGpus, Infinity) : -1;
  const dearest = Math.max(...pools.map((pool) => pool.cost));
  const penalty = Math.max(excessPenalty * dearest, Number.isFinite(target) ? 2 * target : 0);
  const firstColumn = new Int32Array(segments.length);
  const excessColumn = new Int32Array(segments.length).fill(-1);
  for (const [s, segment] of segments.entries()) {
    const { cost } = pools[segment.pool] as PackingPool;
    const limitRow = segment.limit === Infinity ? -1 : program.row(-Infinity, segment.limit);
    for (const [p, layout] of segment.layouts.entries()) {
      const column = program.column(cost, 0, Infinity, true);
      if (p === 0) firstColumn[s] = column;
      for (const [k, count] of layout.entries()) program.entry(sizeRow[k] as number, column, -count);
      if (limitRow >= 0) program.entry(limitRow, column, 1);
      if (allGpus >= 0) program.entry(allGpus, column, 1);
    }
    if (limitRow >= 0 && s < pools.length) {
      const excess = program.column(penalty, 0, Infinity);
      program.entry(limitRow, excess, -1);
      excessColumn[s] = excess;
    }
  }
  return { sizeRow, firstColumn, excessColumn };
}

/** Reads the packing from a solution: the given instances and the GPUs of the columns. */
export function readPacking(problem: PackingProblem, columns: GpuColumns, x: Float64Array, instances: Int32Array): Packing {
  let cost = 0;
  let excess = 0;
  const gpus = problem.segments.map((segment, s) => {
    const counts = segment.layouts.map((_, p) => Math.round(x[(columns.firstColumn[s] as number) + p] as number));
    const used = counts.reduce((sum, count) => sum + count, 0);
    cost += used * (problem.pools[segment.pool] as PackingPool).cost;
    excess += Math.max(0, used - segment.limit);
    return Int32Array.from(counts);
  });
  return { instances, gpus, cost, excess };
}

/** Instances of each size, summed over services; services of `except` are left out. */
export function countSizes(problem: PackingProblem, instances: Int32Array, except?: ReadonlySet<number>): Float64Array {
  const total = new Float64Array(problem.sizeCount);
  for (let i = 0; i < problem.serviceCount; i++) {
    if (except?.has(i) === true) continue;
    for (let k = 0; k < problem.sizeCount; k++) (total[k] as number) += instances[i * problem.sizeCount + k] as number;
  }
  return total;
}
