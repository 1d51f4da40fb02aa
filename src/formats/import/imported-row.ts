import { performanceColumns } from '../performance-columns.js';
import { writeCsv } from '../write-csv.js';

/** A row of a performance table that came from a measurement file, with canonical names of the hardware. */
export interface ImportedRow {
  readonly model: string;
  readonly gpu: string;
  readonly profile: string;
  readonly batch: number;
  readonly processes: number;
  /** Requests per second of the whole instance. */
  readonly throughputRps: number;
  readonly latencyMs: number;
  /** Of one process, GiB; absent when not measured. */
  readonly memoryGiB?: number;
  /** File, line, load and latency it came from, and what was derived; for people. */
  readonly source: string;
}

/** Rows as a performance table (CSV as by `writeCsv`) that `parsePerformanceCsv` reads back; without any memory, without that column. */
export function writeImportedRows(rows: readonly ImportedRow[]): string {
  const { memoryGiB, ...others } = performanceColumns;
  const hasMemory = rows.some((row) => row.memoryGiB !== undefined);
  const keys = Object.keys(hasMemory ? performanceColumns : others) as (keyof typeof performanceColumns)[];
  return writeCsv([keys.map((key) => performanceColumns[key].name), ...rows.map((row) => keys.map((key) => row[key] ?? ''))]);
}
