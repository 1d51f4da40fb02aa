import type { PerformanceRow } from './workload.js';

/** One kind of instance that a workload's pools offer: a profile of a pool, by index. The index in the list of sizes names it. */
export interface Size {
  readonly pool: number;
  readonly profile: number;
}

/** The row a service uses on a size, and how far it may be loaded. */
export interface OperatingPoint {
  readonly row: PerformanceRow;
  /** Time of a batch of one on the same profile with the same processes, ms; absent when not measured. */
  readonly singleMs?: number;
  /** Largest planned load of the row, (0, 1]. */
  readonly maxLoad: number;
  /** maxLoad × throughput, requests per second. */
  readonly plannedRps: number;
}
