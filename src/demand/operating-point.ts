import type { LimitedBy } from './documents/plan.js';
import type { PerformanceRow } from './workload.js';

/** One kind of instance that a workload's pools offer: a profile of a pool. The index in the list of sizes names it. */
export interface Size {
  readonly pool: number;
  readonly profile: number;
}

/** The row a service uses on a size, and how far it may be loaded. */
export interface OperatingPoint {
  readonly row: PerformanceRow;
  /** Largest planned load of the row, (0, 1]. */
  readonly maxLoad: number;
  /** maxLoad × throughput, requests per second. */
  readonly plannedRps: number;
  /** The rule without which a faster row or a higher load could be used. */
  readonly limitedBy: LimitedBy;
}
