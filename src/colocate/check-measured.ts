import { type Problem, problem } from '../errors.js';
import type { MeasuredGroup, MeasuredWorkload } from './measured-workload.js';

/** What every prediction needs of a workload, in words. */
const needed = {
  exclusiveRate: 'exclusive_throughput',
  threads: 'threads',
  computePercent: 'compute_sm_throughput_pct',
  dramPercent: 'dram_throughput_pct',
  memoryPercent: 'memory_throughput_pct',
  registers: 'registers',
  sharedMemoryBytes: 'static_shared_memory_bytes',
  smUtilPercent: 'sm_util_pct',
  memoryUtilPercent: 'mem_util_pct',
  memoryGiB: 'gpu_memory_gib',
  batchSize: 'batch_size',
} as const satisfies Partial<Record<keyof MeasuredWorkload, string>>;

/** One problem for each workload of `names` that lacks numbers; others are not judged. */
export function checkMeasured(workloads: readonly MeasuredWorkload[], names: ReadonlySet<string>): readonly Problem[] {
  return workloads
    .filter(({ name }) => names.has(name))
    .flatMap((workload) => {
      const lacking = Object.entries(needed).filter(([key]) => Number.isNaN(workload[key as keyof typeof needed]));
      if (lacking.length === 0) return [];
      const columns = lacking.map(([, column]) => column).join(', ');
      return [problem('NOT_MEASURED', { message: `The workload ${workload.name} has no ${columns}.`, path: workload.name })];
    });
}

/** A share above this cannot be noise of the measurement. */
const plausibleShare = 1.05;

/** What a user should know of measured groups: members that ran faster than alone, and groups measured several times. */
export function noteGroups(groups: readonly MeasuredGroup[], workloads: readonly MeasuredWorkload[]): readonly Problem[] {
  return [...fasterThanAlone(groups, workloads), ...repeated(groups)];
}

function fasterThanAlone(groups: readonly MeasuredGroup[], workloads: readonly MeasuredWorkload[]): readonly Problem[] {
  return workloads.flatMap(({ name, exclusiveRate }) => {
    let most = { share: plausibleShare, id: '' };
    for (const { id, members, rates } of groups) {
      members.forEach((member, place) => {
        const share = (rates[place] as number) / exclusiveRate;
        if (member === name && share > most.share) most = { share, id };
      });
    }
    if (most.id === '') return [];
    const message = `${name} ran ${most.share.toFixed(2)} times as fast in group ${most.id} as alone (${exclusiveRate.toPrecision(4)} samples/s).`;
    return [problem('FASTER_IN_GROUP', { message })];
  });
}

function repeated(groups: readonly MeasuredGroup[]): readonly Problem[] {
  const totals = new Map<string, number[]>();
  for (const { members, rates } of groups) {
    const key = members.toSorted().join(' + ');
    totals.set(key, [...(totals.get(key) ?? []), rates.reduce((sum, rate) => sum + rate, 0)]);
  }
  return [...totals]
    .filter(([, values]) => values.length > 1)
    .map(([key, values]) => {
      const spread = Math.max(...values) / Math.min(...values) - 1;
      const message = `${key} was measured ${values.length} times; the totals differ by ${(100 * spread).toFixed(1)} %.`;
      return problem('GROUP_REPEATED', { message });
    });
}
