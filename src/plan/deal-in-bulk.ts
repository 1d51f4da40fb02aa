import type { DealtGpu, Slot } from './deal-instances.js';
import type { Cut } from './list-cuts.js';
import type { Packing, PackingProblem } from './packing-problem.js';

/** Plans of more instances name equal GPUs once, with their number; below, every GPU has an entry of its own. */
export const foldFrom = 250_000;

/** GPUs dealt in groups of equal ones, and what is left to be dealt one by one. */
export interface BulkDeal {
  readonly gpus: readonly DealtGpu[];
  readonly problem: PackingProblem;
  readonly packing: Packing;
}

/** Whether a packing is so large that equal GPUs are dealt in groups. */
export function isFolded(packing: Packing): boolean {
  return countInstances(packing) > foldFrom;
}

/** All instances of a packing. */
export function countInstances({ instances }: Packing): number {
  return instances.reduce((sum, count) => sum + count, 0);
}

/**
 * Deals most of a large packing in groups of equal GPUs: the services fill slots in their order, and a GPU is repeated for as long as
 * they can fill it alike. Left for the rest are GPUs that others use in part, services whose few instances might share too few
 * GPUs for their replicas, and the GPUs that these need.
 */
export function dealInBulk(problem: PackingProblem, packing: Packing, cuts: readonly Cut[]): BulkDeal {
  const { serviceCount, sizeCount } = problem;
  const mostSlots = Math.max(...cuts.flatMap(({ layouts }) => layouts.map(({ slots }) => slots.length)));
  const counts = Array.from({ length: serviceCount }, (_, i) => countOfService(packing, sizeCount, i));
  // With fewer instances than this, mostSlots of them on each GPU are on too few GPUs.
  const isScarce = counts.map((count, i) => (problem.minCount[i] as number) > 1 && count < (problem.minCount[i] as number) * mostSlots);
  const left = packing.instances.map((count, at) => (isScarce[Math.floor(at / sizeCount)] === true ? 0 : count));
  const kept = keepGpus(packing, cuts, sizeCount, (at) => (packing.instances[at] as number) - (left[at] as number));
  const gpus: DealtGpu[] = [];
  const turn = new Int32Array(sizeCount);
  for (const [cut, { layouts }] of cuts.entries()) {
    for (const [p, { slots }] of layouts.entries()) {
      let open = ((packing.gpus[cut] as Int32Array)[p] as number) - ((kept[cut] as Int32Array)[p] as number);
      while (open > 0) {
        const dealt = fillSlots(slots, left, turn, serviceCount, sizeCount);
        const used = countUses(dealt, sizeCount);
        if (used.size === 0) break;
        const count = Math.min(open, ...[...used].map(([at, uses]) => Math.floor((left[at] as number) / uses)));
        for (const [at, uses] of used) (left[at] as number) -= uses * count;
        gpus.push({ cut, slots: dealt, ...(count > 1 && { count }) });
        open -= count;
      }
    }
  }
  const instances = left.map((count, at) => (isScarce[Math.floor(at / sizeCount)] === true ? (packing.instances[at] as number) : count));
  const minCount = problem.minCount.map((count, i) => (isScarce[i] === true ? count : Math.min(count, 1)));
  return { gpus, problem: { ...problem, minCount }, packing: { ...packing, instances, gpus: kept } };
}

/** GPUs that are not dealt in groups: of every layout as many as hold the scarce instances, and all those that are known by name. */
function keepGpus(packing: Packing, cuts: readonly Cut[], sizeCount: number, scarce: (at: number) => number): Int32Array[] {
  const kept = packing.gpus.map((counts, cut) => (cuts[cut]?.ids.length === 0 ? new Int32Array(counts.length) : counts.slice()));
  const services = packing.instances.length / sizeCount;
  for (let k = 0; k < sizeCount; k++) {
    let need = 0;
    for (let i = 0; i < services; i++) need += scarce(i * sizeCount + k);
    for (const [cut, { layouts }] of cuts.entries()) {
      for (const [p, layout] of layouts.entries()) need -= ((kept[cut] as Int32Array)[p] as number) * (layout.counts[k] as number);
    }
    for (const [cut, { layouts }] of cuts.entries()) {
      for (const [p, layout] of layouts.entries()) {
        const slots = layout.counts[k] as number;
        if (slots === 0 || need <= 0) continue;
        const free = ((packing.gpus[cut] as Int32Array)[p] as number) - ((kept[cut] as Int32Array)[p] as number);
        const more = Math.min(free, Math.ceil(need / slots));
        ((kept[cut] as Int32Array)[p] as number) += more;
        need -= more * slots;
      }
    }
  }
  return kept;
}

/** One GPU whose slots go to the services in turn, as far as these have instances left. */
function fillSlots(
  slots: Cut['layouts'][number]['slots'],
  left: Int32Array,
  turn: Int32Array,
  serviceCount: number,
  sizeCount: number,
): Slot[] {
  const given = new Map<number, number>();
  return slots.map((slot) => {
    const k = slot.size;
    let i = turn[k] as number;
    while (i < serviceCount && (left[i * sizeCount + k] as number) === 0) i++;
    turn[k] = i;
    while (i < serviceCount && (left[i * sizeCount + k] as number) <= (given.get(i * sizeCount + k) ?? 0)) i++;
    if (i === serviceCount) return { ...slot, service: -1 };
    given.set(i * sizeCount + k, (given.get(i * sizeCount + k) ?? 0) + 1);
    return { ...slot, service: i };
  });
}

/** How often one such GPU uses each service and size, by place in the counts. */
function countUses(slots: readonly Slot[], sizeCount: number): Map<number, number> {
  const uses = new Map<number, number>();
  for (const { service, size } of slots) {
    if (service >= 0) uses.set(service * sizeCount + size, (uses.get(service * sizeCount + size) ?? 0) + 1);
  }
  return uses;
}

function countOfService({ instances }: Packing, sizeCount: number, service: number): number {
  return instances.subarray(service * sizeCount, (service + 1) * sizeCount).reduce((sum, count) => sum + count, 0);
}
