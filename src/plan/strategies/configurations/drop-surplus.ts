import type { Cut } from '../../list-cuts.js';
import type { PackingProblem } from '../../packing-problem.js';
import { type DeployedGpu, layoutOf } from './deployment.js';

/**
 * Takes away what services do not need, their largest instances first, from the last GPUs first. GPUs left without any
 * instance go. Replicas stay as many, and on as many GPUs, as they are wanted.
 */
export function dropSurplus(problem: PackingProblem, cuts: readonly Cut[], gpus: readonly DeployedGpu[]): DeployedGpu[] {
  const { throughput, sizeCount, demand, minCount } = problem;
  const kept = gpus.map((gpu) => ({ ...gpu, services: gpu.services.slice() }));
  const own: { readonly services: Int32Array; readonly slot: number; readonly rps: number }[][] = Array.from(demand, () => []);
  for (const { services, ...place } of kept) {
    for (const [slot, { size }] of layoutOf(cuts, place).slots.entries()) {
      const service = services[slot] as number;
      if (service >= 0) own[service]?.push({ services, slot, rps: throughput[service * sizeCount + size] as number });
    }
  }
  for (const [service, instances] of own.entries()) {
    const wanted = minCount[service] as number;
    let spare = instances.reduce((sum, { rps }) => sum + rps, 0) - (demand[service] as number) * (1 - 1e-12);
    let count = instances.length;
    instances.reverse().sort((a, b) => b.rps - a.rps);
    for (const { services, slot, rps } of instances) {
      if (rps > spare || count <= wanted || (wanted > 1 && services.indexOf(service) === services.lastIndexOf(service))) continue;
      services[slot] = -1;
      spare -= rps;
      count--;
    }
  }
  return kept.filter(({ services }) => services.some((service) => service >= 0));
}
