import type { StopGap } from './move-problem.js';

/** An order in waves: all pods that start in one wave start together, and what must stop for them has stopped before. */
export interface WavePlan {
  readonly waves: number;
  /** By arrival: pods that have started by the end of each wave. */
  readonly started: readonly Int32Array[];
  /** By slot: first wave in which it can be used where it is; Infinity when it is not. */
  readonly opens: Float64Array;
  /** By content: wave in which it is made on an empty GPU; Infinity when it is made in place. */
  readonly moves: Float64Array;
  /** By emptying GPU: wave at whose beginning it is given up; Infinity at the end. */
  readonly leaves: Float64Array;
  /** Pods for a while, by kind: how many run during each wave. */
  readonly gaps: readonly { readonly gap: StopGap; readonly running: Int32Array }[];
  /** Extra GPUs for such pods: pool, layout, and how many. */
  readonly extras: readonly { readonly pool: number; readonly layout: number; readonly count: number }[];
  /** By service: share of its floor by which it may fall below it, where that was allowed. */
  readonly dips: ReadonlyMap<number, number>;
}

/** What an order may use besides the pods of the target. */
export interface WaveFreedom {
  /** Pods that run only for a while. */
  readonly stopGaps: boolean;
  /** Services may fall below their floors, as little as possible. */
  readonly dips: boolean;
}
