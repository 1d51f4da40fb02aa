import { inlayError } from '../errors.js';
import type { PlanRequest } from './strategies/strategy.js';

/** Most instances of one plan: each is written out, so that far more would not fit into memory. */
export const maxInstances = 1_000_000;

/** Throws TOO_MANY for rates that no plan within the limit can serve. */
export function refuseTooMany({ workload, finder }: PlanRequest): void {
  const needed = workload.services.map((service) => {
    const best = Math.max(...finder.pointsOf(service, service.rateRps).map((point) => point?.plannedRps ?? 0));
    return service.rateRps === 0 ? 0 : Math.ceil(service.rateRps / best);
  });
  const total = needed.reduce((sum, count) => sum + count, 0);
  if (total <= maxInstances) return;
  const most = needed.indexOf(Math.max(...needed));
  throw inlayError('TOO_MANY', {
    message: `The services need at least ${total} instances, most of them service ${workload.services[most]?.name}.`,
    path: `spec.services[${most}].rateRps`,
    expected: `rates that at most ${maxInstances} instances can serve`,
    received: String(workload.services[most]?.rateRps),
  });
}
