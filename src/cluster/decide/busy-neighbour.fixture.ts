import type { InferenceWorkload } from '../objects/inference-workload.js';

/** `big` runs on a 4g alone; `small` on one 2g, or on two 1g. */
export const neighbourTable = `model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms,memory_gib
big,A100-80GB,4g.40gb,1,1,100,10,2
small,A100-80GB,2g.20gb,1,1,100,10,2
small,A100-80GB,1g.10gb,1,1,60,10,2
`;

export const neighbours = {
  big: { model: 'big', rateRps: 90, latencyMs: 100 },
  small: { model: 'small', rateRps: 90, latencyMs: 100 },
};

/** The services of the workload with `small` on slices of one profile. */
export function smallOn(services: InferenceWorkload['spec']['services'], profile: string): InferenceWorkload['spec']['services'] {
  return services.map((service) => (service.name === 'small' ? { ...service, profiles: [profile] } : service));
}
