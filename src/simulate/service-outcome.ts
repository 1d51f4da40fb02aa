import type { LatencyCounts } from './latency-histogram.js';

/** A simulated number and half the width of its 95 % interval; NaN where no interval can be given (a trace is one sample). */
export interface Estimate {
  readonly value: number;
  readonly halfWidth: number;
}

/** Whether a service keeps its promise: `unsettled` means that the run was too short to tell and counts as a miss. */
export type Verdict = 'meets' | 'misses' | 'unsettled';

/** What a simulation saw of a service. */
export interface MeasuredOutcome {
  readonly kind: 'measured';
  readonly name: string;
  readonly limitMs: number;
  /** Percent of the requests that must be within the limit. */
  readonly percentile: number;
  readonly rateRps: number;
  /** Rate ÷ throughput of all its instances. */
  readonly load: number;
  readonly verdict: Verdict;
  /** Requests simulated, warm-up included. */
  readonly requests: number;
  readonly meanMs: Estimate;
  /** Latency at 50, 90, 95 and 99 percent, ms. */
  readonly p50Ms: Estimate;
  readonly p90Ms: Estimate;
  readonly p95Ms: Estimate;
  readonly p99Ms: Estimate;
  /** Latency at the service's own percentile, ms. */
  readonly percentileMs: Estimate;
  readonly maxMs: number;
  /** Share of the requests within the limit, 0 to 1. */
  readonly within: Estimate;
  /** Requests later than the limit, after the warm-up. */
  readonly late: number;
  readonly meanBatch: number;
  /** Share of the time that a process is at work. */
  readonly busy: number;
  /** All latencies after the warm-up. */
  readonly counts: LatencyCounts;
}

/** A service whose load is so high that its queue has no steady state worth simulating. */
export interface OverloadedOutcome {
  readonly kind: 'overloaded';
  readonly name: string;
  readonly limitMs: number;
  readonly percentile: number;
  readonly rateRps: number;
  /** Rate ÷ throughput of all its instances; Infinity without instances. */
  readonly load: number;
  readonly verdict: 'misses';
  readonly requests: 0;
}

export type ServiceOutcome = MeasuredOutcome | OverloadedOutcome;

/** Loads above this are called a miss without simulation: runs look green for a hundred thousand requests and fail later. */
export const largestLoad = 0.995;
