import type { LimitedBy } from './documents/plan.js';
import { gpuShare } from './gpu-share.js';
import { describeSize } from './list-sizes.js';
import type { OperatingPoint, Size } from './operating-point.js';
import type { PointFinder } from './operating-points.js';
import type { Rule } from './row-rules.js';
import type { Service, Workload } from './workload.js';

/** Rules in the order in which ties are named. */
const rules: readonly Rule[] = ['latency', 'memory', 'processes', 'batch', 'utilization', 'profile'];

/** Gains below this share are rounding. */
const leastGain = 1e-9;

/**
 * The one rule without which a service would get most from the slices a plan gives it; `none` when no rule holds it back.
 * `counts` are its instances by size. Slices of other profiles are compared by throughput for their share of a GPU's price.
 */
export function findServiceLimit(
  workload: Workload,
  finder: PointFinder,
  service: Service,
  rateRps: number,
  counts: readonly number[],
): LimitedBy {
  const used = counts.flatMap((count, size) => (count > 0 ? [size] : []));
  const total = (points: readonly (OperatingPoint | undefined)[]) =>
    used.reduce((sum, size) => sum + (counts[size] as number) * (points[size]?.plannedRps ?? 0), 0);
  const bestPerShare = (points: readonly (OperatingPoint | undefined)[]) =>
    points.reduce(
      (best, point, size) => Math.max(best, (point?.plannedRps ?? 0) / priceShare(workload, finder.index.sizes[size] as Size)),
      0,
    );
  const pointsNow = finder.pointsOf(service, rateRps);
  const now = total(pointsNow);
  if (!(now > 0)) return 'none';

  const gainWithout = (rule: Rule): number => {
    if (!isSet(workload, service, rule)) return 0;
    const points = finder.pointsOf(service, rateRps, rule);
    if (rule !== 'profile') return total(points) / now - 1;
    return bestPerShare(points) / bestPerShare(pointsNow) - 1;
  };

  let limit: LimitedBy = 'none';
  let most = leastGain;
  for (const rule of rules) {
    const gain = gainWithout(rule);
    if (gain > most) {
      limit = rule;
      most = gain;
    }
  }
  return limit;
}

function isSet(workload: Workload, service: Service, rule: Rule): boolean {
  if (rule === 'processes') return Number.isFinite(workload.maxProcesses);
  if (rule === 'batch') return Number.isFinite(service.maxBatch);
  if (rule === 'utilization') return service.maxUtilization < 1;
  return rule !== 'profile' || service.profiles !== undefined;
}

/** Price of a size by its share of its GPU. */
function priceShare(workload: Workload, size: Size): number {
  const { pool, profile } = describeSize(workload, size);
  return pool.price * gpuShare(pool.gpu, profile);
}
