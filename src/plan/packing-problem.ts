/**
 * The planning problem in numbers: which sizes a service can use at which throughput, and how GPUs can be cut.
 * On one GPU instances do not disturb each other, so only counts matter here; positions come back when they are dealt.
 */

/** GPUs of one pool that can be cut alike: the empty ones, or those on which others hold the same instances. */
export interface Segment {
  readonly pool: number;
  /** GPUs in the segment; Infinity when not limited. */
  readonly limit: number;
  /** Ways to cut such a GPU: instances of each size, length = number of sizes. */
  readonly layouts: readonly Int32Array[];
}

/** Price and limit of a pool. */
export interface PackingPool {
  /** Cost of one GPU in the objective, > 0 (1 for the objective `gpus`). */
  readonly cost: number;
  /** GPUs at most (the sum of its segments); Infinity when not limited. */
  readonly limit: number;
}

/** Services i, sizes k (profiles of pools), pools g; every array is dense. */
export interface PackingProblem {
  readonly serviceCount: number;
  readonly sizeCount: number;
  /** Planned requests per second that service i gets from an instance of size k at `i * sizeCount + k`; 0 = not usable. */
  readonly throughput: Float64Array;
  /** Required requests per second; 0 = the service gets nothing. */
  readonly demand: Float64Array;
  /** Fewest instances of each service (0 where demand is 0). */
  readonly minCount: Int32Array;
  readonly pools: readonly PackingPool[];
  /** Pool of each size. */
  readonly poolOfSize: Int32Array;
  /** The first segments, one a pool in pool order, are the empty GPUs. */
  readonly segments: readonly Segment[];
  /** GPUs that any packing needs because of replicas on different GPUs. */
  readonly minGpus: number;
}

/** What to build: instances per service and size, and GPUs per segment and layout. */
export interface Packing {
  /** x[i][k] at `i * sizeCount + k`. */
  readonly instances: Int32Array;
  /** GPUs of each layout, per segment. */
  readonly gpus: readonly Int32Array[];
  readonly cost: number;
  /** GPUs beyond the limits of the pools; a packing that can be built has 0. */
  readonly excess: number;
}

/** Price of each size and each limited pool: a certificate for a lower limit on the cost of every packing. */
export interface SlicePrices {
  readonly size: Float64Array;
  /** Per pool; 0 for pools without limit. */
  readonly pool: Float64Array;
}
