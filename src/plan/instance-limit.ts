import { inlayError } from '../errors.js';
import type { PlanRequest } from './strategies/strategy.js';

/** Most instances of one plan by the strategy `exact`, which writes equal GPUs once with their number. */
export const maxInstances = 1_000_000_000;
/** Most instances of one plan by the other strategies, which build GPU after GPU. */
export const maxSingleInstances = 1_000_000;

/** Throws TOO_MANY for rates that no plan of at most `most` instances can serve. */
export function refuseTooMany({ workload, finder }: PlanRequest, most: number): void {
  const needed = workload.services.map((service) => {
    const best = Math.max(...finder.pointsOf(service, service.rateRps).map((point) => point?.plannedRps ?? 0));
    return service.rateRps === 0 ? 0 : Math.ceil(service.rateRps / best);
  });
  const total = needed.reduce((sum, count) => sum + count, 0);
  if (total <= most) return;
  const largest = needed.indexOf(Math.max(...needed));
  throw inlayError('TOO_MANY', {
    message: `The services need at least ${total} instances, most of them service ${workload.services[largest]?.name}.`,
    path: `spec.services[${largest}].rateRps`,
    expected: `rates that at most ${most} instances can serve`,
    received: String(workload.services[largest]?.rateRps),
  });
}
