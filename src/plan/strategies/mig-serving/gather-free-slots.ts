import type { Cut } from '../../list-cuts.js';
import { type DeployedGpu, layoutOf } from '../configurations/deployment.js';

/**
 * Moves instances from the emptiest GPUs into free slots of equal size on fuller ones, so that free slots come to lie
 * together; GPUs that end up without any instance go. Changes no count and no capacity.
 */
export function gatherFreeSlots(cuts: readonly Cut[], sizePrice: Float64Array, gpus: readonly DeployedGpu[]): DeployedGpu[] {
  const gathered = gpus.map((gpu) => ({ ...gpu, services: gpu.services.slice() }));
  const sizeOf = (gpu: DeployedGpu, slot: number): number => layoutOf(cuts, gpu).slots[slot]?.size as number;
  const worthOf = (gpu: DeployedGpu): number =>
    gpu.services.reduce((sum, service, slot) => (service < 0 ? sum : sum + (sizePrice[sizeOf(gpu, slot)] as number)), 0);
  const emptiestFirst = gathered.map((gpu) => ({ gpu, worth: worthOf(gpu) })).sort((a, b) => a.worth - b.worth);
  const free = new Map<number, { readonly rank: number; readonly services: Int32Array; readonly slot: number }[]>();
  for (const [rank, { gpu }] of emptiestFirst.entries()) {
    for (const [slot, service] of gpu.services.entries()) {
      const size = sizeOf(gpu, slot);
      if (service < 0) free.set(size, [...(free.get(size) ?? []), { rank, services: gpu.services, slot }]);
    }
  }
  for (const [rank, { gpu }] of emptiestFirst.entries()) {
    for (const [slot, service] of gpu.services.entries()) {
      const room = service < 0 ? undefined : free.get(sizeOf(gpu, slot));
      const home = room?.at(-1);
      if (home === undefined || home.rank <= rank) continue;
      room?.pop();
      home.services[home.slot] = service;
      gpu.services[slot] = -1;
    }
  }
  return gathered.filter(({ services }) => services.some((service) => service >= 0));
}
