import type { Packing } from '../plan/packing-problem.js';
import { countStarts } from './target-counts.js';
import type { ServicePlan, TargetProblem } from './target-problem.js';

/** Service plans with which a target within the budget exists: all pods new, in the numbers of a packing or of the plan given. */
export function listSeeds({ services, packing }: TargetProblem, { instances }: Packing): ServicePlan[] {
  return services.flatMap((service, i): ServicePlan[] => {
    if (service === undefined) return [];
    const counts = new Int32Array(service.items.length);
    if (service.fixed !== undefined) for (const { newItem, count } of service.fixed) counts[newItem] = count;
    else {
      for (const [j, { type, size }] of service.items.entries()) {
        if (type < 0) counts[j] = instances[i * packing.sizeCount + size] as number;
      }
    }
    return [{ service: i, counts, starts: countStarts(service, counts) }];
  });
}
