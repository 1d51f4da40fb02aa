import type { Workload } from '../demand/workload.js';
import type { TargetProblem } from './target-problem.js';

/** GPUs that the pools have beyond those in use; one for each pool without a count. */
export function spareGpus({ fleet, packing }: TargetProblem, { pools }: Workload): number {
  return pools.reduce((sum, { count }, g) => {
    const used = fleet.gpus.filter(({ pool, instances }) => pool === g && instances.length > 0).length;
    return sum + (count === Infinity ? 1 : Math.max(0, (packing.pools[g]?.limit ?? 0) - used));
  }, 0);
}
