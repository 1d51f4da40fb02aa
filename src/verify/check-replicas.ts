import { countGpus } from '../demand/documents/unfold-plan.js';
import type { PlanFacts } from './plan-facts.js';
import type { Violation } from './verify-report.js';

/** A service that is served runs on at least as many different GPUs as it wants replicas. */
export function checkReplicas({ services }: PlanFacts): readonly Violation[] {
  return services.flatMap(({ service, placed, promisedRps }) => {
    const gpus = countGpus(new Set(placed.map(({ gpu }) => gpu)));
    if (promisedRps === 0 || gpus >= service.minReplicas) return [];
    const message = `${service.name}: its instances sit on too few different GPUs.`;
    return [{ where: service.name, message, expected: `at least ${service.minReplicas} GPUs`, received: String(gpus) }];
  });
}
