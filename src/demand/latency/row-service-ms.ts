import type { PerformanceRow } from '../workload.js';

/**
 * Time of one full batch in ms, batch × processes ÷ throughput: while all processes are busy, `processes` batches end in this time.
 * The latency column of a table is rounded and can contradict the throughput, which matters near full load.
 */
export function rowServiceMs(row: Pick<PerformanceRow, 'batch' | 'processes' | 'throughputRps'>): number {
  return (1000 * row.batch * row.processes) / row.throughputRps;
}
