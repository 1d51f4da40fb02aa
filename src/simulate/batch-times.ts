import { rowServiceMs } from '../demand/latency/row-service-ms.js';
import type { PerformanceRow } from '../demand/workload.js';

/**
 * Time of a batch of n, ms, at [n] for n ≤ `maxBatch`: linear between the measured batch sizes of `rows`, which share model, profile and
 * number of processes; below the smallest as for the smallest. Where a larger batch was measured faster than a smaller one the running
 * maximum is taken, so that nothing is faster than measured. `rows` must hold one of `maxBatch`.
 */
export function tabulateBatchTimes(rows: readonly PerformanceRow[], maxBatch: number): Float64Array {
  const measured = rows.filter(({ batch }) => batch <= maxBatch).sort((a, b) => a.batch - b.batch);
  const times = new Float64Array(maxBatch + 1);
  let from = 0;
  let fromMs = measured[0] === undefined ? Number.NaN : rowServiceMs(measured[0]);
  for (const row of measured) {
    const toMs = Math.max(fromMs, rowServiceMs(row));
    for (let n = from + 1; n <= row.batch; n++) times[n] = fromMs + ((n - from) / (row.batch - from)) * (toMs - fromMs);
    from = row.batch;
    fromMs = toMs;
  }
  return times;
}
