import type { Cut } from '../../list-cuts.js';
import type { PackingProblem } from '../../packing-problem.js';

/** A part of a GPU: so many instances of each size that one service could hold of it. Its index in the space names it. */
export interface Part {
  /** Sizes with their counts, larger slots first. */
  readonly sizes: readonly number[];
  readonly counts: readonly number[];
  /**
   * The ways to give some of the part to one service and leave the rest, as pairs (own, rest). `own` always holds one of the
   * largest slots, so that no way to share a part out appears twice. Smaller ones come first.
   */
  readonly splits: readonly (readonly [own: number, rest: number])[];
}

/** A layout of a cut and the part that is the whole of it. */
export interface WholeLayout {
  readonly cut: number;
  readonly layout: number;
  readonly part: number;
  /** Price of the GPU in the objective. */
  readonly cost: number;
}

/** How GPUs can be shared out between services; which service gets what is not decided here. */
export interface ConfigurationSpace {
  /** Part 0 is empty. Smaller parts come first. */
  readonly parts: readonly Part[];
  readonly layouts: readonly WholeLayout[];
  /** Slots of the GPU with most of them: more services than this never share a GPU. */
  readonly mostSlots: number;
  /** What a service would get from a part as a share of its rate (the papers' utility), at `service * parts.length + part`. */
  readonly utility: Float64Array;
}

/** Services times parts that are kept in memory as scores: 20 000 services on a pool of five sizes need 760 000. */
const mostScores = 10_000_000;

/**
 * Lists the parts of all layouts; undefined when services times parts are beyond ten million. A configuration is a layout with
 * its slots shared out to services; the best one is found from parts, because one of a thousand services on each slot gives
 * far too many configurations to list.
 */
export function listConfigurationSpace(cuts: readonly Cut[], problem: PackingProblem): ConfigurationSpace | undefined {
  const found = new Map<string, Int32Array>();
  const collect = (counts: Int32Array): void => {
    const key = counts.join();
    if (found.has(key)) return;
    found.set(key, counts);
    for (const [k, count] of counts.entries()) if (count > 0) collect(withLess(counts, k, 1));
  };
  collect(new Int32Array(problem.sizeCount));
  for (const { layouts } of cuts) for (const { counts } of layouts) collect(counts);
  if (found.size * problem.serviceCount > mostScores) return undefined;
  const all = [...found.values()].sort((a, b) => sum(a) - sum(b));
  const indexOf = new Map(all.map((counts, index) => [counts.join(), index]));
  const at = (counts: Int32Array): number => indexOf.get(counts.join()) as number;
  const parts = all.map((counts): Part => {
    const sizes = [...counts.keys()].filter((k) => (counts[k] as number) > 0).reverse();
    return { sizes, counts: sizes.map((k) => counts[k] as number), splits: listSplits(counts, sizes, at) };
  });
  const layouts = cuts.flatMap((cut, c) =>
    cut.layouts.map(({ counts }, layout) => ({ cut: c, layout, part: at(counts), cost: problem.pools[cut.pool]?.cost ?? 1 })),
  );
  return { parts, layouts, mostSlots: sum(all.at(-1) ?? new Int32Array()), utility: tabulate(problem, parts) };
}

function tabulate({ serviceCount, sizeCount, throughput, demand }: PackingProblem, parts: readonly Part[]): Float64Array {
  const utility = new Float64Array(serviceCount * parts.length);
  for (let i = 0; i < serviceCount; i++) {
    if (demand[i] === 0) continue;
    for (const [part, { sizes, counts }] of parts.entries()) {
      const rps = sizes.reduce((total, size, n) => total + (counts[n] as number) * (throughput[i * sizeCount + size] as number), 0);
      utility[i * parts.length + part] = rps / (demand[i] as number);
    }
  }
  return utility;
}

function listSplits(counts: Int32Array, sizes: readonly number[], at: (counts: Int32Array) => number): (readonly [number, number])[] {
  const splits: [number, number][] = [];
  const choose = (n: number, own: Int32Array): void => {
    const k = sizes[n];
    if (k === undefined) {
      if (sizes.length > 0) splits.push([at(own), at(counts.map((count, size) => count - (own[size] as number)))]);
      return;
    }
    for (let take = n === 0 ? 1 : 0; take <= (counts[k] as number); take++) choose(n + 1, withLess(own, k, -take));
  };
  choose(0, new Int32Array(counts.length));
  return splits;
}

function withLess(counts: Int32Array, k: number, less: number): Int32Array {
  const result = counts.slice();
  (result[k] as number) -= less;
  return result;
}

function sum(counts: Int32Array): number {
  return counts.reduce((total, count) => total + count, 0);
}
