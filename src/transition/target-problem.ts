import type { OperatingPoint } from '../demand/operating-point.js';
import type { PackingProblem } from '../plan/packing-problem.js';
import type { Fleet } from './fleet.js';
import type { GpuClass } from './gpu-classes.js';
import type { LayoutOption, OptionSlot } from './layout-options.js';

/** A kind of pod that a service's plan may count: one that runs and stays, or a new one. */
export interface PlanItem {
  readonly size: number;
  readonly point: OperatingPoint;
  /** Index into the pod types of one that stays; -1 for a new pod. */
  readonly type: number;
  /** Most of them that there are; Infinity for a new pod. */
  readonly limit: number;
}

/** What the target of one service is made of. */
export interface ServiceItems {
  readonly items: readonly PlanItem[];
  readonly demand: number;
  readonly minCount: number;
  /** Pods of each item that a given plan wants, where it leaves only open which stay and which are new. */
  readonly fixed?: readonly FixedCount[];
}

/** So many pods of one size and operating point. */
export interface FixedCount {
  readonly newItem: number;
  /** The same kind of pod among those that run; -1 when none does. */
  readonly keptItem: number;
  readonly count: number;
}

/** Which target changes least: classes of GPUs, how each can end, and what each service's plan can be made of. */
export interface TargetProblem {
  readonly packing: PackingProblem;
  readonly fleet: Fleet;
  readonly classes: readonly GpuClass[];
  /** By class: how its GPUs can end with pods staying. */
  readonly options: readonly (readonly LayoutOption[])[];
  /** By class: leaving its GPUs exactly as they are; absent where a pod cannot stay. */
  readonly untouched: readonly (LayoutOption | undefined)[];
  /** By pool, then by layout of an empty GPU. */
  readonly freshSlots: readonly (readonly (readonly OptionSlot[])[])[];
  /** By service; undefined for one that gets nothing. */
  readonly services: readonly (ServiceItems | undefined)[];
  /** Services whose replicas do not come to different GPUs by themselves. */
  readonly apart: ReadonlySet<number>;
}

/** The service plans that a program may choose from. */
export interface PlanList {
  readonly plans: readonly ServicePlan[];
  /** Services that are not listed, because their plans are too many: any number of pods of each item may be chosen. */
  readonly open: ReadonlySet<number>;
}

/** One service plan as a column: how many pods of each item. */
export interface ServicePlan {
  readonly service: number;
  readonly counts: Int32Array;
  readonly starts: number;
}
