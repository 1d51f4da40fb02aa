import type { PlacedProfile } from '../gpu/gpu-model.js';
import { bringApart } from './bring-apart.js';
import type { FleetGpu, FleetInstance } from './fleet.js';
import { isUsed } from './gpu-classes.js';
import type { LayoutOption } from './layout-options.js';
import type { TargetCounts } from './target-counts.js';
import type { PlanItem, TargetProblem } from './target-problem.js';

/** A place that a new pod can take. */
export interface OpenSlot {
  readonly placed: PlacedProfile;
  readonly size: number;
  /** The same instance if it exists already. */
  readonly present?: FleetInstance;
  /** The service that needs the slot for replicas on different GPUs. */
  readonly home?: number;
}

/** One GPU of the target. */
export interface TargetGpu {
  readonly pool: number;
  /** The GPU of the state that becomes it; absent for content that may go to any empty GPU of the pool. */
  readonly gpu?: FleetGpu;
  /** Pods that stay, by the instance they are on. */
  readonly stays: readonly FleetInstance[];
  readonly slots: readonly OpenSlot[];
}

/** New pods of one service on one size. */
export interface NewPods {
  readonly service: number;
  readonly item: PlanItem;
  readonly count: number;
}

/** A target on physical GPUs: what stays is settled, where new pods go is open. */
export interface BoundTarget {
  readonly gpus: readonly TargetGpu[];
  /** GPUs of the state that are given up. */
  readonly released: readonly FleetGpu[];
  readonly newPods: readonly NewPods[];
  /** Services whose replicas came apart only by restarting another pod, or not at all. */
  readonly crowded: readonly number[];
}

/** Settles which physical GPU ends how and which pods stay. Open slots are no more than are needed where each needs a new instance. */
export function bindTarget(problem: TargetProblem, counts: TargetCounts): BoundTarget {
  const stayLeft = countStays(problem, counts);
  const gpus: TargetGpu[] = [];
  const released: FleetGpu[] = [];
  const changed: ChangedGpu[] = [];
  for (const [c, group] of problem.classes.entries()) {
    const ends: (LayoutOption | 'untouched')[] = Array<'untouched'>(counts.untouched[c] as number).fill('untouched');
    for (const [o, option] of (problem.options[c] as readonly LayoutOption[]).entries()) {
      for (let n = (counts.options[c] as Int32Array)[o] as number; n > 0; n--) ends.push(option);
    }
    for (const [g, gpu] of group.gpus.entries()) {
      const end = ends[g];
      if (end === undefined) {
        if (isUsed(gpu)) released.push(gpu);
      } else if (end === 'untouched') {
        const stays = gpu.instances.filter(({ type }) => type >= 0);
        for (const { type } of stays) (stayLeft[type] as number)--;
        gpus.push({ pool: group.pool, gpu, stays, slots: [] });
      } else changed.push({ pool: group.pool, gpu, option: end });
    }
  }
  // Pods that may stay on more GPUs than needed stay where the least changes.
  const unmatched = ({ option, gpu }: ChangedGpu): number =>
    gpu.instances.length - [...option.matches.values()].reduce((sum, count) => sum + count, 0);
  changed.sort((a, b) => unmatched(a) - unmatched(b));
  const staying = chooseStays(problem, changed, stayLeft);
  for (const { pool, gpu, option } of changed) {
    const stays: FleetInstance[] = [];
    const slots = option.slots.flatMap(({ placed, size, present: alike }): OpenSlot[] => {
      if (alike === undefined) return [{ placed, size }];
      const present = ownInstance(gpu, alike);
      if (!staying.has(present)) return [{ placed, size, present }];
      stays.push(present);
      return [];
    });
    gpus.push({ pool, gpu, stays, slots });
  }
  for (const [g, layouts] of counts.fresh.entries()) {
    for (const [p, count] of layouts.entries()) {
      const slots = problem.freshSlots[g]?.[p] ?? [];
      for (let n = 0; n < count; n++) gpus.push({ pool: g, stays: [], slots });
    }
  }
  const { gpus: apart, newPods, crowded } = bringApart(problem, gpus, listNewPods(problem, counts));
  const needed = dropNeedless(apart, newPods, problem.packing.sizeCount);
  const isOfUse = ({ stays, slots }: TargetGpu): boolean => stays.length > 0 || slots.length > 0;
  for (const target of needed) if (!isOfUse(target) && target.gpu !== undefined && isUsed(target.gpu)) released.push(target.gpu);
  return { gpus: needed.filter(isOfUse), released, newPods, crowded };
}

/** The number of pods that a target starts. */
export function countNewPods({ newPods }: BoundTarget): number {
  return newPods.reduce((sum, { count }) => sum + count, 0);
}

/** A GPU of the state and how it is to end. */
interface ChangedGpu {
  readonly pool: number;
  readonly gpu: FleetGpu;
  readonly option: LayoutOption;
}

/** Options speak of a class; this is the GPU's own instance. */
const ownInstance = ({ instances }: FleetGpu, alike: FleetInstance): FleetInstance =>
  instances.find(({ start }) => start === alike.start) as FleetInstance;

/** Which pods stay, as many of each type as are left to: first one a GPU of services with replicas, then whatever comes. */
function chooseStays({ fleet, services }: TargetProblem, changed: readonly ChangedGpu[], stayLeft: Int32Array): Set<FleetInstance> {
  const staying = new Set<FleetInstance>();
  const visit = (isWanted: (service: number, gpu: FleetGpu) => boolean): void => {
    for (const { gpu, option } of changed) {
      for (const { present: alike } of option.slots) {
        if (alike === undefined || alike.type < 0) continue;
        const present = ownInstance(gpu, alike);
        if (staying.has(present) || (stayLeft[present.type] as number) <= 0) continue;
        if (!isWanted(fleet.types.list[present.type]?.service ?? -1, gpu)) continue;
        (stayLeft[present.type] as number)--;
        staying.add(present);
      }
    }
  };
  const homes = new Set<string>();
  visit((service, { id }) => {
    const key = `${service} ${id}`;
    if ((services[service]?.minCount ?? 1) < 2 || homes.has(key)) return false;
    homes.add(key);
    return true;
  });
  visit(() => true);
  return staying;
}

function countStays(problem: TargetProblem, counts: TargetCounts): Int32Array {
  const left = new Int32Array(problem.fleet.types.list.length);
  for (const [i, service] of problem.services.entries()) {
    for (const [j, { type }] of (service?.items ?? []).entries()) if (type >= 0) left[type] = (counts.pods[i] as Int32Array)[j] as number;
  }
  return left;
}

function listNewPods(problem: TargetProblem, counts: TargetCounts): NewPods[] {
  return problem.services.flatMap((service, i) =>
    (service?.items ?? []).flatMap((item, j): NewPods[] => {
      const count = (counts.pods[i] as Int32Array)[j] as number;
      return item.type >= 0 || count === 0 ? [] : [{ service: i, item, count }];
    }),
  );
}

/** Leaves out slots that need a new instance and more pods to stop than others, as long as every new pod has one. */
function dropNeedless(gpus: readonly TargetGpu[], newPods: readonly NewPods[], sizeCount: number): TargetGpu[] {
  const spare = new Int32Array(sizeCount);
  for (const { slots } of gpus) for (const { size } of slots) (spare[size] as number)++;
  for (const { item, count } of newPods) (spare[item.size] as number) -= count;
  const ranked = gpus
    .flatMap((target, g) =>
      target.slots.map((slot) => ({ g, slot, blocked: slot.present === undefined ? 1 + countBlockers(target, slot) : 0 })),
    )
    .filter(({ blocked, slot }) => blocked > 0 && slot.home === undefined)
    .sort((a, b) => b.blocked - a.blocked);
  const dropped = new Set<string>();
  for (const { g, slot } of ranked) {
    if ((spare[slot.size] as number) <= 0) continue;
    (spare[slot.size] as number)--;
    dropped.add(`${g} ${slot.placed.start}`);
  }
  return gpus.map((target, g) => ({ ...target, slots: target.slots.filter(({ placed }) => !dropped.has(`${g} ${placed.start}`)) }));
}

function countBlockers({ gpu }: TargetGpu, { placed }: OpenSlot): number {
  const end = placed.start + placed.profile.memorySlices;
  const overlapping = gpu?.instances.filter(({ start, profile }) => start < end && placed.start < start + profile.memorySlices) ?? [];
  return overlapping.filter(({ type }) => type >= 0).length;
}
