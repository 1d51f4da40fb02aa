import type { Percentile } from './load-point.js';

/** A latency as a tool summarised it, ms. */
export interface LatencyStats {
  readonly meanMs?: number;
  /** By percent. */
  readonly percentilesMs: ReadonlyMap<number, number>;
}

/** The chosen one, ms; undefined when it was not measured. */
export function chooseLatency(stats: LatencyStats | undefined, percentile: Percentile): number | undefined {
  return percentile === 'mean' ? stats?.meanMs : stats?.percentilesMs.get(percentile);
}

/** The names of what was measured: `p50`, `p99`, `mean`. */
export function listLatencies(stats: LatencyStats | undefined): readonly string[] {
  if (stats === undefined) return [];
  const percentiles = [...stats.percentilesMs.keys()].sort((a, b) => a - b).map((percent) => `p${percent}`);
  return stats.meanMs === undefined ? percentiles : [...percentiles, 'mean'];
}

/** Percentile by the nearest rank of single latencies, and their mean. */
export function summarizeLatencies(latenciesMs: Float64Array, percentile: Percentile): LatencyStats | undefined {
  if (latenciesMs.length === 0) return undefined;
  const sorted = latenciesMs.toSorted();
  const percentilesMs = new Map<number, number>();
  if (percentile !== 'mean') {
    const rank = Math.max(1, Math.ceil((percentile / 100) * sorted.length));
    percentilesMs.set(percentile, sorted[rank - 1] as number);
  }
  return { meanMs: sorted.reduce((sum, ms) => sum + ms, 0) / sorted.length, percentilesMs };
}
