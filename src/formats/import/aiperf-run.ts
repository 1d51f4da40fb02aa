import type { Load } from './load-point.js';

/** A metric of a summary, in its own unit. */
export interface AiperfMetric {
  /** As written; absent when the file does not say. */
  readonly unit?: string | undefined;
  readonly mean?: number | undefined;
  /** By percent. */
  readonly percentiles: ReadonlyMap<number, number>;
  readonly line: number;
  readonly column: number;
}

/** A summary of AIPerf or GenAI-Perf, whatever its form. */
export interface AiperfRun {
  /** By the name in JSON, such as `request_latency`. */
  readonly metrics: ReadonlyMap<string, AiperfMetric>;
  readonly model?: string | undefined;
  /** Absent when the file does not say. */
  readonly load?: Load | undefined;
  readonly cancelled: boolean;
}

/** Metrics that are read; others may be there and in any form. */
export const aiperfMetrics = [
  'request_throughput',
  'request_latency',
  'time_to_first_token',
  'inter_token_latency',
  'output_token_throughput',
  'output_sequence_length',
  'input_sequence_length',
  'error_request_count',
] as const;

/** The percent of a statistic's name, such as 99 of `p99`; undefined for any other. */
export function percentOf(name: string): number | undefined {
  const match = /^p(\d+(?:\.\d+)?)$/i.exec(name.trim());
  return match === null ? undefined : Number(match[1]);
}
