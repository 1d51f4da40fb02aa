import { rowServiceMs } from '../demand/latency/row-service-ms.js';
import type { PerformanceRow } from '../demand/workload.js';
import { groupBy } from './group-by.js';

/** A row with the times that the latency formula needs, ms. */
export interface MeasuredRow {
  readonly row: PerformanceRow;
  readonly serviceMs: number;
  /** Time of a batch of one with the same processes on the same profile; undefined when not measured. */
  readonly singleMs: number | undefined;
}

/** Where a row was measured and how it was set, as an instance names it. */
export interface RowKey {
  readonly profile: string;
  readonly batch: number;
  readonly processes: number;
}

/** Measured rows by model, GPU model and profile. */
export interface RowIndex {
  /** Rows of one model on one profile, fastest first. */
  list(model: string, gpu: string, profile: string): readonly MeasuredRow[];
  find(model: string, gpu: string, key: RowKey): MeasuredRow | undefined;
}

/** Sorts the rows of a workload into groups; each group is prepared when it is first asked for. */
export function indexRows(rows: readonly PerformanceRow[]): RowIndex {
  const groups = groupBy(rows, (row) => groupKey(row.model, row.gpu, row.profile));
  const measured = new Map<string, readonly MeasuredRow[]>();
  const list = (model: string, gpu: string, profile: string) => {
    const key = groupKey(model, gpu, profile);
    const known = measured.get(key);
    if (known !== undefined) return known;
    const made = measure(groups.get(key) ?? []);
    measured.set(key, made);
    return made;
  };
  return {
    list,
    find: (model, gpu, { profile, batch, processes }) =>
      list(model, gpu, profile).find(({ row }) => row.batch === batch && row.processes === processes),
  };
}

function measure(group: readonly PerformanceRow[]): readonly MeasuredRow[] {
  const single = new Map(group.filter((row) => row.batch === 1).map((row) => [row.processes, rowServiceMs(row)]));
  return group
    .map((row) => ({ row, serviceMs: rowServiceMs(row), singleMs: single.get(row.processes) }))
    .sort((a, b) => b.row.throughputRps - a.row.throughputRps);
}

/** Names hold no control characters, so the separator cannot occur in them. */
function groupKey(model: string, gpu: string, profile: string): string {
  return `${model}\u0000${gpu}\u0000${profile}`;
}
