import { countSizes } from './pack-gpus.js';
import type { Packing, PackingProblem } from './packing-problem.js';

/**
 * A packing of given instances without any solver: GPU after GPU, the layout whose slots take most of what is left.
 * The answer of a plan that is stopped before its first integer program ends.
 */
export function packGreedily(problem: PackingProblem, instances: Int32Array): Packing {
  const left = countSizes(problem, instances);
  const gpus = problem.segments.map((segment) => new Int32Array(segment.layouts.length));
  let cost = 0;
  let excess = 0;
  let used = 0;
  const room = problem.segments.map(({ limit }) => limit);
  for (const [g, pool] of problem.pools.entries()) {
    const { layouts, limit } = problem.segments[g] as PackingProblem['segments'][number];
    let gpusOfPool = 0;
    for (;;) {
      const best = findFullest(layouts, left);
      if (best < 0) break;
      const layout = layouts[best] as Int32Array;
      const repeats = countRepeats(layout, left);
      for (const [k, count] of layout.entries()) left[k] = Math.max(0, (left[k] as number) - count * repeats);
      ((gpus[g] as Int32Array)[best] as number) += repeats;
      gpusOfPool += repeats;
    }
    cost += gpusOfPool * pool.cost;
    used += gpusOfPool;
    excess += Math.max(0, gpusOfPool - limit);
    room[g] = Math.max(0, limit - gpusOfPool);
  }
  let missing = Math.max(0, problem.minGpus - used);
  for (const [g, pool] of problem.pools.entries()) {
    const added = Math.min(missing, room[g] as number);
    ((gpus[g] as Int32Array)[0] as number) += added;
    cost += added * pool.cost;
    missing -= added;
  }
  // What has no room anywhere is beyond the limits.
  excess += missing;
  return { instances, gpus, cost, excess };
}

/** The layout that takes the largest share of a GPU's worth of what is left; −1 when nothing is left for the pool. */
function findFullest(layouts: readonly Int32Array[], left: Float64Array): number {
  let best = -1;
  let bestFill = 0;
  for (const [p, layout] of layouts.entries()) {
    let filled = 0;
    let slots = 0;
    for (const [k, count] of layout.entries()) {
      const weight = count === 0 ? 0 : 1 / mostOf(layouts, k);
      filled += Math.min(count, left[k] as number) * weight;
      slots += count * weight;
    }
    const fill = filled === 0 ? 0 : filled + 1e-3 * (filled / slots);
    if (fill > bestFill + 1e-12) {
      best = p;
      bestFill = fill;
    }
  }
  return best;
}

function mostOf(layouts: readonly Int32Array[], k: number): number {
  return layouts.reduce((most, layout) => Math.max(most, layout[k] as number), 0);
}

/** How many GPUs of a layout can be filled whole; at least one. */
function countRepeats(layout: Int32Array, left: Float64Array): number {
  let repeats = Infinity;
  for (const [k, count] of layout.entries()) {
    if (count > 0) repeats = Math.min(repeats, Math.floor((left[k] as number) / count));
  }
  return Math.max(1, repeats);
}
