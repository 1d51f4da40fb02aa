/** What a workload does: serve requests, or train. */
export type WorkloadTask = 'inference' | 'training';

/**
 * A workload as measured alone on the GPU. Metrics of Nsight Compute are means over kernel launches, weighted by their
 * duration. A number that was not measured is NaN.
 */
export interface MeasuredWorkload {
  readonly name: string;
  /** Workloads of one family run the same model at different batch sizes; the name of the workload where no model is known. */
  readonly family: string;
  readonly task: WorkloadTask;
  /** Samples in one step. */
  readonly batchSize: number;
  /** Samples per second alone on the GPU. */
  readonly exclusiveRate: number;
  /** Threads of a launch: grid × block. */
  readonly threads: number;
  readonly computePercent: number;
  readonly dramPercent: number;
  readonly memoryPercent: number;
  /** Registers of a launch: threads × registers per thread. */
  readonly registers: number;
  /** Static shared memory of a launch: grid × bytes per block. */
  readonly sharedMemoryBytes: number;
  /** Share of the time in which the SMs were in use (nvidia-smi pmon `sm`). */
  readonly smUtilPercent: number;
  /** Share of the time in which memory was read or written (nvidia-smi pmon `mem`). */
  readonly memoryUtilPercent: number;
  /** Most GPU memory in use. */
  readonly memoryGiB: number;
}

/** What a group of workloads delivered on one GPU under MPS, every member with all of the GPU's threads. */
export interface MeasuredGroup {
  readonly id: string;
  /** Names of workloads; a name may repeat. */
  readonly members: readonly string[];
  /** Samples per second of each member inside the group. */
  readonly rates: readonly number[];
}

/** Samples per second of all members together. */
export function totalRate(rates: readonly number[]): number {
  return rates.reduce((sum, rate) => sum + rate, 0);
}

/** Most members of a group: MPS serves at most 48 clients. */
export const mostColocated = 48;
