import type { OperatingPoint } from '../demand/operating-point.js';
import type { PlacedProfile } from '../gpu/gpu-model.js';
import type { Cut, CutLayout } from './list-cuts.js';
import type { Packing, PackingProblem } from './packing-problem.js';
import { spreadReplicas } from './spread-replicas.js';

/** How equal slots are dealt: a service's instances side by side for the reader, or over many GPUs for availability. */
export type Deal = 'together' | 'spread';

/** One slot of a GPU: where it is, which size it has and which service got it (−1 = none). */
export interface Slot {
  readonly placed: PlacedProfile;
  readonly size: number;
  service: number;
  /** How the service uses the slot where that is not its best way for the size. */
  readonly point?: OperatingPoint;
}

/** One GPU of the plan before it has a name. */
export interface DealtGpu {
  /** Index into the cuts. */
  readonly cut: number;
  readonly slots: readonly Slot[];
  /** Id of the GPU where it is already known. */
  readonly id?: string;
  /** GPUs that are dealt exactly so, where more than one; they have no ids yet. */
  readonly count?: number;
}

/** GPUs with their instances, and the services whose replicas could not be brought onto enough different GPUs. */
export interface DealtPlan {
  readonly gpus: readonly DealtGpu[];
  readonly crowded: readonly number[];
}

/**
 * Turns counts into GPUs: each GPU of a layout gets the layout's placement, and the slots of a size are dealt to the
 * services in their order. Services with several replicas are then brought onto different GPUs by exchanging equal slots.
 */
export function dealInstances(problem: PackingProblem, packing: Packing, cuts: readonly Cut[], deal: Deal): DealtPlan {
  const { sizeCount } = problem;
  const gpus = layOutGpus(packing, cuts);
  const slotsOfSize = listSlots(sizeCount, gpus, deal);
  const next = new Int32Array(sizeCount);
  for (let i = 0; i < problem.serviceCount; i++) {
    for (let k = 0; k < sizeCount; k++) {
      const slots = slotsOfSize[k] as readonly Slot[];
      const end = (next[k] as number) + (packing.instances[i * sizeCount + k] as number);
      for (let n = next[k] as number; n < end; n++) (slots[n] as Slot).service = i;
      next[k] = end;
    }
  }
  const crowded = spreadReplicas(gpus, problem.minCount);
  return { gpus: gpus.filter((gpu) => gpu.slots.some((slot) => slot.service >= 0)), crowded };
}

function layOutGpus(packing: Packing, cuts: readonly Cut[]): DealtGpu[] {
  return cuts.flatMap(({ layouts }, cut) =>
    layouts.flatMap(({ slots }: CutLayout, p) =>
      Array.from({ length: (packing.gpus[cut] as Int32Array)[p] as number }, () => ({
        cut,
        slots: slots.map((slot) => ({ ...slot, service: -1 })),
      })),
    ),
  );
}

/** Slots of each size in dealing order: GPU by GPU, or (spread) first one of every GPU, then a second one, and so on. */
function listSlots(sizeCount: number, gpus: readonly DealtGpu[], deal: Deal): Slot[][] {
  const turns: Slot[][][] = [];
  const met = new Int32Array(sizeCount);
  for (const { slots } of gpus) {
    met.fill(0);
    for (const slot of slots) {
      const turn = deal === 'spread' ? (met[slot.size] as number) : 0;
      (met[slot.size] as number)++;
      const slotsOfTurn = turns[turn] ?? Array.from({ length: sizeCount }, () => []);
      turns[turn] = slotsOfTurn;
      slotsOfTurn[slot.size]?.push(slot);
    }
  }
  return Array.from({ length: sizeCount }, (_, size) => turns.flatMap((turn) => turn[size] as Slot[]));
}
