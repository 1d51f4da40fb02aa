import type { MeasuredWorkload } from '../../colocate/measured-workload.js';

/** Numbers of a workload by their key and column. */
export const numberColumns = [
  ['batchSize', 'batch_size'],
  ['exclusiveRate', 'exclusive_throughput'],
  ['threads', 'threads'],
  ['computePercent', 'compute_sm_throughput_pct'],
  ['dramPercent', 'dram_throughput_pct'],
  ['memoryPercent', 'memory_throughput_pct'],
  ['registers', 'registers'],
  ['sharedMemoryBytes', 'static_shared_memory_bytes'],
  ['smUtilPercent', 'sm_util_pct'],
  ['memoryUtilPercent', 'mem_util_pct'],
  ['memoryGiB', 'gpu_memory_gib'],
] as const satisfies readonly (readonly [keyof MeasuredWorkload, string])[];

/** The columns that every table of workloads has. */
export const requiredColumns: readonly string[] = ['workload', 'task', ...numberColumns.map(([, column]) => column)];
