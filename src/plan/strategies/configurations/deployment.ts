import type { Cut, CutLayout } from '../../list-cuts.js';
import type { PackingPool, PackingProblem } from '../../packing-problem.js';
import type { ConfigurationSpace, Part } from './configuration-space.js';
import type { Configuration } from './rank-configurations.js';
import { ServiceNeeds } from './service-needs.js';

/** One GPU with a service (or −1) on every slot of its layout, in the layout's order. */
export interface DeployedGpu {
  readonly cut: number;
  readonly layout: number;
  readonly services: Int32Array;
}

/** The layout of a GPU. */
export function layoutOf(cuts: readonly Cut[], { cut, layout }: Pick<DeployedGpu, 'cut' | 'layout'>): CutLayout {
  return (cuts[cut] as Cut).layouts[layout] as CutLayout;
}

/** Puts the services of a configuration on the slots of its layout. */
export function deploy(cuts: readonly Cut[], space: ConfigurationSpace, configuration: Configuration): DeployedGpu {
  const { cut, layout, shares } = configuration;
  const { slots } = layoutOf(cuts, configuration);
  const services = new Int32Array(slots.length).fill(-1);
  for (const { service, part } of shares) {
    const { sizes, counts } = space.parts[part] as Part;
    for (const [n, size] of sizes.entries()) {
      let left = counts[n] as number;
      for (let slot = 0; slot < slots.length && left > 0; slot++) {
        if (slots[slot]?.size !== size || services[slot] !== -1) continue;
        services[slot] = service;
        left--;
      }
    }
  }
  return { cut, layout, services };
}

/** Gives the services of a GPU its instances. */
export function giveAll(needs: ServiceNeeds, cuts: readonly Cut[], gpu: DeployedGpu): void {
  const { slots } = layoutOf(cuts, gpu);
  for (const [slot, service] of gpu.services.entries()) {
    if (service >= 0) needs.give(service, slots[slot]?.size as number, 1);
  }
}

/** What the services still need beside a deployment. */
export function needsBeside(
  problem: PackingProblem,
  space: ConfigurationSpace,
  cuts: readonly Cut[],
  gpus: readonly DeployedGpu[],
): ServiceNeeds {
  const needs = new ServiceNeeds(problem, space);
  for (const gpu of gpus) giveAll(needs, cuts, gpu);
  return needs;
}

/** Price of a deployment in the objective, free of the rounding of sums. */
export function costOf(problem: PackingProblem, cuts: readonly Cut[], gpus: readonly DeployedGpu[]): number {
  const cost = gpus.reduce((sum, { cut }) => sum + (problem.pools[(cuts[cut] as Cut).pool] as PackingPool).cost, 0);
  return Math.round(cost * 1e9) / 1e9;
}

/** GPUs in use of each cut. */
export function countByCut(cuts: readonly Cut[], gpus: readonly DeployedGpu[]): Int32Array {
  const used = new Int32Array(cuts.length);
  for (const { cut } of gpus) (used[cut] as number)++;
  return used;
}
