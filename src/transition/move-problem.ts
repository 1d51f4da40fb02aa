import type { Backend, FloorKind } from '../demand/documents/transition.js';
import type { Workload } from '../demand/workload.js';
import { findBrokenRule } from '../gpu/placement-rules.js';
import { sliceMask } from '../gpu/slice-mask.js';
import type { BoundTarget, OpenSlot, TargetGpu } from './bind-target.js';
import type { Fleet, FleetGpu, FleetInstance } from './fleet.js';
import { isUsed } from './gpu-classes.js';
import type { PodType } from './pod-types.js';
import type { PlanItem, TargetProblem } from './target-problem.js';

/** A pod that runs and does not stay. */
export interface LeavingPod {
  readonly gpu: FleetGpu;
  readonly instance: FleetInstance;
  readonly type: PodType;
  /** What the floor counts while it is ready, requests per second. */
  readonly rps: number;
}

/** A place for a new pod, with what must stop before it can be used where it is. */
export interface MoveSlot extends OpenSlot {
  /** Index of its content. */
  readonly content: number;
  /** Leaving pods, by index. */
  readonly blockers: readonly number[];
}

/** What one GPU of the target gets new. */
export interface Content {
  readonly pool: number;
  /** The GPU on which it can be made in place; absent for content that needs an empty GPU. */
  readonly host?: FleetGpu;
  /** Whether something on the host stays, so that it cannot go elsewhere. */
  readonly isFixed: boolean;
  readonly slots: readonly number[];
}

/** A GPU on which nothing stays. */
export interface EmptyingGpu {
  readonly gpu: FleetGpu;
  readonly pods: readonly number[];
  /** Content that could be made on it in place; -1 for none. */
  readonly content: number;
}

/** New pods of one service that can stand in for each other. */
export interface Arrival {
  readonly service: number;
  readonly item: PlanItem;
  readonly rps: number;
  readonly count: number;
}

/** A pod kind that a service could use for a while. */
export interface StopGap {
  readonly service: number;
  readonly item: PlanItem;
  readonly rps: number;
}

/** What has to happen between a state and a bound target, before it is put in order. */
export interface MoveProblem {
  readonly fleet: Fleet;
  readonly target: BoundTarget;
  readonly sizeCount: number;
  /** By service: what ready pods must deliver at every moment, requests per second. */
  readonly floor: Float64Array;
  /** By service: what pods that stay deliver. */
  readonly staying: Float64Array;
  readonly leaving: readonly LeavingPod[];
  readonly slots: readonly MoveSlot[];
  readonly contents: readonly Content[];
  readonly emptying: readonly EmptyingGpu[];
  readonly arrivals: readonly Arrival[];
  readonly stopGaps: readonly StopGap[];
  /** GPUs that may be in use beyond those of the state. */
  readonly headroom: number;
  /** The same within each pool; Infinity for a pool without limit. */
  readonly poolHeadroom: readonly number[];
  /** By pool: layouts of an empty GPU. */
  readonly layouts: TargetProblem['freshSlots'];
  /** Whether instances that pods leave idle are deleted, which makes room for others at once. */
  readonly deletesVacated: boolean;
}

/** Reads off what must stop, what must start where, and what limits the order. `extra` is the GPUs allowed above start and target. */
export function buildMoveProblem(
  problem: TargetProblem,
  target: BoundTarget,
  workload: Workload,
  options: { readonly backend: Backend; readonly floor: FloorKind; readonly extra: number; readonly deletesVacated?: boolean },
): MoveProblem {
  const { fleet } = problem;
  const rpsOf = (type: PodType): number => (options.floor === 'raw' ? type.rps : (type.point?.plannedRps ?? 0));
  const itemRps = ({ point }: PlanItem): number => (options.floor === 'raw' ? point.row.throughputRps : point.plannedRps);
  const staying = new Float64Array(workload.services.length);
  const start = new Float64Array(workload.services.length);
  const leaving: LeavingPod[] = [];
  const indexOf = new Map<FleetInstance, number>();
  const stays = new Set(target.gpus.flatMap((gpu) => gpu.stays));
  for (const gpu of fleet.gpus) {
    for (const instance of gpu.instances) {
      const type = fleet.types.list[instance.type];
      if (type === undefined) continue;
      if (type.service >= 0) (start[type.service] as number) += rpsOf(type);
      if (stays.has(instance)) (staying[type.service] as number) += rpsOf(type);
      else {
        indexOf.set(instance, leaving.length);
        leaving.push({ gpu, instance, type, rps: rpsOf(type) });
      }
    }
  }
  const slots: MoveSlot[] = [];
  const contents: Content[] = [];
  const emptying: EmptyingGpu[] = [];
  const podsOn = (gpu: FleetGpu): number[] => gpu.instances.flatMap((instance) => indexOf.get(instance) ?? []);
  for (const target_ of target.gpus) {
    const { pool, gpu } = target_;
    if (target_.slots.length === 0) continue;
    const content = contents.length;
    const own = target_.slots.map((slot): number => {
      slots.push({ ...slot, content, blockers: gpu === undefined ? [] : listBlockers(target_, gpu, slot, workload, indexOf) });
      return slots.length - 1;
    });
    const isFixed =
      target_.stays.length > 0 ||
      (gpu?.instances.some(({ reserved }) => reserved) ?? false) ||
      (gpu !== undefined && options.backend !== 'instance');
    contents.push({ pool, ...(gpu && { host: gpu }), isFixed, slots: own });
    if (gpu !== undefined && !isFixed) emptying.push({ gpu, pods: podsOn(gpu), content });
  }
  for (const gpu of target.released) emptying.push({ gpu, pods: podsOn(gpu), content: -1 });
  const usedBefore = fleet.gpus.filter(isUsed);
  const joins = target.gpus.filter(({ gpu }) => gpu !== undefined && !isUsed(gpu));
  const atMost = Math.max(usedBefore.length, target.gpus.length) + options.extra;
  const poolHeadroom = problem.packing.pools.map(({ limit }, g) => {
    const taken = fleet.gpus.filter(({ pool, instances }) => pool === g && instances.length > 0);
    return Math.max(0, limit - taken.length);
  });
  return {
    fleet,
    target,
    sizeCount: problem.packing.sizeCount,
    floor: Float64Array.from(workload.services, ({ rateRps }, i) => Math.min(rateRps, fleet.oldRps[i] as number, start[i] as number)),
    staying,
    leaving,
    slots,
    contents,
    emptying,
    arrivals: target.newPods.map((pods) => ({ ...pods, rps: itemRps(pods.item) })),
    stopGaps: problem.services.flatMap((service, i) =>
      (service?.items ?? []).flatMap((item): StopGap[] => (item.type >= 0 ? [] : [{ service: i, item, rps: itemRps(item) }])),
    ),
    headroom: Math.max(0, atMost - usedBefore.length - joins.length),
    poolHeadroom,
    layouts: problem.freshSlots,
    deletesVacated: options.deletesVacated === true && options.backend === 'instance',
  };
}

/** The pods to stop before a slot can be used: those in its slices; all that leave where the GPU cannot hold what is there besides. */
function listBlockers(
  { stays, slots }: TargetGpu,
  gpu: FleetGpu,
  slot: OpenSlot,
  workload: Workload,
  indexOf: ReadonlyMap<FleetInstance, number>,
): number[] {
  const { placed, present } = slot;
  if (present !== undefined) return present.type < 0 ? [] : [indexOf.get(present) as number];
  const pool = workload.pools[gpu.pool] as Workload['pools'][number];
  const mask = (one: { readonly profile: FleetInstance['profile']; readonly start: number }): number => sliceMask(one.profile, one.start);
  const created = slots.filter((other) => other.present === undefined);
  const others = gpu.instances.filter((instance) => !created.some((other) => (mask(other.placed) & mask(instance)) !== 0));
  const together = [...others, ...created.map((other) => other.placed)].map(({ profile }) => profile);
  const isCrowded = findBrokenRule(pool.gpu, together, pool) !== undefined;
  return gpu.instances.flatMap((instance) => {
    const blocks = isCrowded ? !stays.includes(instance) : (mask(placed) & mask(instance)) !== 0;
    const index = indexOf.get(instance);
    return blocks && index !== undefined ? [index] : [];
  });
}
