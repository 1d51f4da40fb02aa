import type { OperatingPoint } from '../demand/operating-point.js';
import type { PointFinder } from '../demand/operating-points.js';
import type { Workload } from '../demand/workload.js';
import type { Cut } from './list-cuts.js';
import type { PackingProblem } from './packing-problem.js';

/** What a plan optimises: fewest GPUs, lowest price, or the largest common share of every rate on a fixed fleet. */
export type Objective = 'gpus' | 'cost' | 'max-min';

/** A packing problem with the operating points its numbers come from. */
export interface BuiltProblem {
  readonly problem: PackingProblem;
  /** By service, then by size. */
  readonly points: readonly (readonly (OperatingPoint | undefined)[])[];
}

/** The packing problem of a workload with every rate multiplied by its factor (one a service). */
export function buildProblem(
  workload: Workload,
  finder: PointFinder,
  cuts: readonly Cut[],
  objective: Objective,
  factors: readonly number[],
): BuiltProblem {
  const { services, pools } = workload;
  const sizeCount = finder.index.sizes.length;
  const demand = Float64Array.from(services, (service, i) => service.rateRps * (factors[i] as number));
  const minCount = Int32Array.from(services, (service, i) => ((demand[i] as number) > 0 ? service.minReplicas : 0));
  const throughput = new Float64Array(services.length * sizeCount);
  const points = services.map((service, i) => {
    const found = finder.pointsOf(service, demand[i] as number);
    for (const [k, point] of found.entries()) if (point !== undefined) throughput[i * sizeCount + k] = point.plannedRps;
    return found;
  });
  const problem: PackingProblem = {
    serviceCount: services.length,
    sizeCount,
    throughput,
    demand,
    minCount,
    pools: pools.map((pool, g) => ({
      cost: objective === 'cost' ? pool.price : 1,
      limit: cuts.reduce((sum, cut) => (cut.pool === g ? sum + cut.limit : sum), 0),
    })),
    poolOfSize: Int32Array.from(finder.index.sizes, (size) => size.pool),
    segments: cuts.map(({ pool, limit, layouts }) => ({ pool, limit, layouts: layouts.map(({ counts }) => counts) })),
    minGpus: minCount.reduce((most, count) => Math.max(most, count), 0),
  };
  return { problem, points };
}
