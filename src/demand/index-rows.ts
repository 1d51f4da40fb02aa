import { maxSingleLoad } from './latency/predict-percentile.js';
import { rowServiceMs } from './latency/row-service-ms.js';
import { describeSize, listSizes } from './list-sizes.js';
import type { Size } from './operating-point.js';
import type { PerformanceRow, Workload } from './workload.js';

/**
 * The rows of one model, size by size: those of size z lie at `starts[z] <= row < starts[z + 1]`, highest throughput first, then by rank.
 * Columns are flat arrays because every service passes over them.
 */
export interface ModelRows {
  readonly rows: readonly PerformanceRow[];
  readonly starts: Int32Array;
  /** Which of two equally good rows to take: the lower rank has lower latency, then fewer processes, then the smaller batch. */
  readonly rank: Int32Array;
  readonly batch: Int32Array;
  readonly processes: Int32Array;
  readonly throughputRps: Float64Array;
  /** As written in the table. */
  readonly latencyMs: Float64Array;
  /** Time of one full batch (`rowServiceMs`). */
  readonly serviceMs: Float64Array;
  /** Time of a batch of one on the same profile with the same processes; NaN when not measured. */
  readonly singleMs: Float64Array;
  /** What the closed form for tiny services can give at most, requests per second; 0 when no batch of one was measured. */
  readonly singleRpsAtMost: Float64Array;
  /** Memory of all processes together, GiB; 0 when not measured. */
  readonly memoryGiB: Float64Array;
}

/** The rows of a workload by model and size. */
export interface RowIndex {
  readonly sizes: readonly Size[];
  /** Memory that processes can really use, by size, GiB. */
  readonly sizeMemoryGiB: Float64Array;
  readonly models: ReadonlyMap<string, ModelRows>;
}

/** Sorts the rows of a workload into its sizes; rows that no pool offers are left out. */
export function indexRows(workload: Workload): RowIndex {
  const sizes = listSizes(workload);
  const sizesOf = new Map<string, number[]>();
  sizes.forEach((size, index) => {
    const { pool, profile } = describeSize(workload, size);
    const key = settingKey(pool.rowsOf, profile.name);
    sizesOf.set(key, [...(sizesOf.get(key) ?? []), index]);
  });
  const byModel = new Map<string, PerformanceRow[][]>();
  for (const row of workload.rows) {
    const rowSizes = sizesOf.get(settingKey(row.gpu, row.profile));
    if (rowSizes === undefined) continue;
    const bySize = byModel.get(row.model) ?? sizes.map(() => []);
    byModel.set(row.model, bySize);
    for (const size of rowSizes) bySize[size]?.push(row);
  }
  return {
    sizes,
    sizeMemoryGiB: Float64Array.from(sizes, (size) => describeSize(workload, size).profile.memoryMiB.value / 1024),
    models: new Map([...byModel].map(([model, bySize]) => [model, arrange(bySize)])),
  };
}

function settingKey(gpu: string, profile: string): string {
  return `${gpu}\n${profile}`;
}

function arrange(bySize: readonly PerformanceRow[][]): ModelRows {
  const starts = new Int32Array(bySize.length + 1);
  const ranks = new Map<PerformanceRow, number>();
  bySize.forEach((rows, size) => {
    rows.sort((a, b) => a.latencyMs - b.latencyMs || a.processes - b.processes || a.batch - b.batch);
    for (const [rank, row] of rows.entries()) ranks.set(row, rank);
    rows.sort((a, b) => b.throughputRps - a.throughputRps);
    starts[size + 1] = (starts[size] as number) + rows.length;
  });
  const rows = bySize.flat();
  const singleMs = Float64Array.from(bySize.flatMap(singleTimes));
  return {
    rows,
    starts,
    rank: Int32Array.from(rows, (row) => ranks.get(row) as number),
    batch: Int32Array.from(rows, (row) => row.batch),
    processes: Int32Array.from(rows, (row) => row.processes),
    throughputRps: Float64Array.from(rows, (row) => row.throughputRps),
    latencyMs: Float64Array.from(rows, (row) => row.latencyMs),
    serviceMs: Float64Array.from(rows, rowServiceMs),
    singleMs,
    singleRpsAtMost: Float64Array.from(rows, (row, i) => (1000 * maxSingleLoad * row.processes) / (singleMs[i] as number) || 0),
    memoryGiB: Float64Array.from(rows, (row) => row.processes * (row.memoryGiB ?? 0)),
  };
}

function singleTimes(rows: readonly PerformanceRow[]): number[] {
  const byProcesses = new Map<number, number>();
  for (const row of rows) if (row.batch === 1) byProcesses.set(row.processes, rowServiceMs(row));
  return rows.map((row) => byProcesses.get(row.processes) ?? Number.NaN);
}
