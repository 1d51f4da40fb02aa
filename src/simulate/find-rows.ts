import { entryOf } from '../demand/entry-of.js';
import type { PerformanceRow, Service, Workload } from '../demand/workload.js';
import { inlayError } from '../errors.js';

/** What names a row beside the service and the pool. */
export interface RowSetting {
  readonly profile: string;
  readonly batch: number;
  readonly processes: number;
}

/** The rows of a service's model on a profile of a pool with so many processes, one of them with the batch; throws PLAN_MISMATCH without. */
export type RowFinder = (service: Service, pool: string, setting: RowSetting) => readonly PerformanceRow[];

/** Sorts the rows of a workload once and returns the finder. */
export function createRowFinder(workload: Workload): RowFinder {
  const index = new Map<string, PerformanceRow[]>();
  for (const row of workload.rows) entryOf(index, keyOf(row.model, row.gpu, row.profile, row.processes), () => []).push(row);
  const gpuOf = new Map(workload.pools.map(({ name, rowsOf }) => [name, rowsOf]));
  return (service, pool, { profile, batch, processes }) => {
    const rows = index.get(keyOf(service.model, gpuOf.get(pool), profile, processes)) ?? [];
    if (rows.some((row) => row.batch === batch)) return rows;
    const setting = `batch ${batch} and ${processes} ${processes === 1 ? 'process' : 'processes'}`;
    throw inlayError('PLAN_MISMATCH', {
      message: `${service.name} runs on ${profile} of pool ${pool} with ${setting}, which the workload's tables do not have.`,
      expected: 'a plan of this workload',
    });
  };
}

function keyOf(model: string, gpu: string | undefined, profile: string, processes: number): string {
  return [model, gpu, profile, processes].join('\n');
}
