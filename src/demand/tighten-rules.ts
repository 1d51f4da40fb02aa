import type { Workload } from './workload.js';

/** The workload with the tight form of every percentile rule: how a plan is made that is then checked by simulation. */
export function tightenRules(workload: Workload): Workload {
  return {
    ...workload,
    services: workload.services.map((service) =>
      service.latency.kind === 'percentile' ? { ...service, latency: { ...service.latency, rule: 'tight' } } : service,
    ),
  };
}
