import { checkPlanTarget } from '../demand/check-plan-target.js';
import type { PlanDocument } from '../demand/documents/plan.js';
import { unfoldPlan } from '../demand/documents/unfold-plan.js';
import type { OperatingPoint } from '../demand/operating-point.js';
import type { PointFinder } from '../demand/operating-points.js';
import type { Service, Workload } from '../demand/workload.js';
import { InlayError, problem } from '../errors.js';
import { findUsablePoint } from './pod-types.js';

/** So many pods of one kind that a plan has for a service. */
export interface WantedPods {
  readonly size: number;
  readonly point: OperatingPoint;
  count: number;
}

/**
 * The pods of a plan by service of the workload. Throws InlayError where the plan is for another workload: other services or
 * rates, a pool that the workload does not have, or a pod that the service may not run.
 */
export function countPlanPods(plan: PlanDocument, workload: Workload, finder: PointFinder): readonly (readonly WantedPods[])[] {
  const problems = [...checkPlanTarget(plan, workload)];
  const wanted: WantedPods[][] = workload.services.map(() => []);
  if (problems.length > 0) throw new InlayError(problems);
  const indexOf = new Map(workload.services.map(({ name }, i) => [name, i]));
  for (const [g, gpu] of unfoldPlan(plan).gpus.entries()) {
    const pool = workload.pools.findIndex(({ name }) => name === gpu.pool);
    for (const [n, { profile, service: name, batch, processes }] of gpu.instances.entries()) {
      const i = indexOf.get(name) ?? -1;
      const size = finder.index.sizes.findIndex(
        (one) => one.pool === pool && workload.pools[pool]?.profiles[one.profile]?.name === profile,
      );
      const point = i < 0 || size < 0 ? undefined : findUsablePoint(finder, workload.services[i] as Service, size, batch, processes);
      if (point === undefined) {
        const message = `The workload does not allow ${name} to run ${batch} × ${processes} on ${profile} of pool ${gpu.pool}.`;
        problems.push(problem('PLAN_MISMATCH', { message, path: `gpus[${g}].instances[${n}]` }));
        continue;
      }
      const known = wanted[i]?.find((pods) => pods.size === size && pods.point.row === point.row);
      if (known === undefined) wanted[i]?.push({ size, point, count: 1 });
      else known.count++;
    }
  }
  if (problems.length > 0) throw new InlayError(problems);
  return wanted;
}
