/** A row of a performance table that ran, with the names of the hardware as written. */
export interface RawPerformanceRow {
  readonly model: string;
  readonly gpu: string;
  /** As written; `full` where the table leaves it empty. */
  readonly profile: string;
  readonly batch: number;
  readonly processes: number;
  /** Requests per second of the whole instance, > 0. */
  readonly throughputRps: number;
  /** Time of one batch, ms, > 0. */
  readonly latencyMs: number;
  /** Memory of one process, GiB; absent when not measured. */
  readonly memoryGiB?: number;
  readonly source: { readonly file: string; readonly line: number };
}
