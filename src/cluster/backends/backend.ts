import type { Backend as CostModel, TransitionDocument, TransitionStep } from '../../demand/documents/transition.js';
import type { Problem } from '../../errors.js';
import type { GpuCatalogue, GpuModel } from '../../gpu/gpu-model.js';
import type { KubeObject, Node, OwnerReference, Pod } from '../client/object-types.js';
import type { ObjectName, Resource } from '../client/resources.js';
import type { Pods } from '../decide/locate-pods.js';
import type { Progress } from '../decide/progress.js';
import type { ObservedPool } from '../decide/read-hardware.js';
import type { ObservedNode } from '../decide/read-node.js';
import type { Write } from '../decide/write.js';
import type { GpuPool } from '../objects/gpu-pool.js';
import type { InferenceWorkload } from '../objects/inference-workload.js';
import type { SharingPlan } from '../objects/sharing-plan.js';
import type { ClusterView } from '../observe/cluster-view.js';

/** A step that changes how a GPU is cut. */
export type LayoutStep = Extract<TransitionStep, { readonly kind: 'create-instance' | 'delete-instance' | 'wipe-gpu' }>;

/**
 * A way to cut the GPUs of a pool and to hand instances to pods: all that decisions know of what stands between them and the
 * hardware. It takes values and gives values; what it does comes out as writes.
 */
export interface Backend {
  /** As in `spec.backend` of a GpuPool. */
  readonly name: string;
  /**
   * How plans count changes. In a group the strictest of all pools holds, so a backend carries out the steps of its own model and
   * of every stricter one: instance, then gpu-wipe, then node.
   */
  readonly costModel: CostModel;
  /** operator: carried out here. person: files are written for somebody, and nothing else is touched. */
  readonly executor: 'operator' | 'person';
  readonly allocation: Allocation;
  /** Kinds that it reads besides those that every view of a cluster has; found in `ClusterView.more`. */
  readonly kinds: readonly Resource[];
  /** ConfigMaps of a pool that it reads. */
  configMapsOf(pool: GpuPool): readonly ObjectName[];
  /** Number of instances by the driver's profile for each GPU of a node, by index, as far as can be told without an agent. */
  readLayouts(node: Node, pool: GpuPool, view: ClusterView): readonly Readonly<Record<string, number>>[] | undefined;
  /** Whether a change of a node's layout is under way: what it offers says nothing then. */
  isChanging(node: Node): boolean;
  /** Whether a step's effect is there, through and through: pods may be put on what it made. */
  isDone(step: LayoutStep, node: PlanNode): boolean;
  /** Only of the executor person: what that person needs, text by file name. Equal facts give equal files. */
  readonly writeFiles?: (facts: PlanFacts) => Readonly<Record<string, string>>;
  /** For a node that no plan of this backend is worked on: what takes its own marks and its cordon away. */
  readonly releaseNode?: (node: Node, nowMs: number) => NodeRelease | undefined;
  /** Begins the work of one look at the cluster; the pools are all those of this backend. */
  begin(facts: LookFacts): LayoutWorker;
}

/** By their names. Handed to decisions as a value. */
export type Backends = ReadonlyMap<string, Backend>;

/** A plan as files tell it. */
export interface PlanFacts {
  readonly plan: SharingPlan;
  readonly transition: TransitionDocument;
  readonly workloads: readonly InferenceWorkload[];
  readonly pools: readonly ObservedPool[];
  readonly catalogue: GpuCatalogue;
}

/** What opens a node, at once or later. */
export interface NodeRelease {
  readonly writes: readonly Write[];
  /** ms from now, when it may be opened whatever it shows. */
  readonly againInMs?: number;
}

/** How pods ask for an instance, and where a node says what it has. */
export interface Allocation {
  /** Two backends of one allocation can serve one Deployment. */
  readonly name: string;
  /** Instances that a node offers, by the driver's profile, `full` for whole GPUs; none of count 0. */
  readOffer(node: Node, view: ClusterView): ReadonlyMap<string, number>;
  /** Whether a pod, whoever made it, asks for a GPU or a part of one in this way. */
  isAskedBy(pod: Pod): boolean;
  /** What the pods of one type ask for. */
  requestOf(type: AskedSlice): PodRequest;
}

/** A slice that pods ask for. */
export interface AskedSlice {
  readonly gpuModel: string;
  /** The driver's name of the profile, or `full`. */
  readonly profile: string;
  /** Name and namespace of the pods' Deployment, and what it goes away with: for objects that are made beside it. */
  readonly name: string;
  readonly namespace: string;
  readonly owner?: OwnerReference | undefined;
}

/** What is added to a pod so that it gets its slice. */
export interface PodRequest {
  /** Extended resources of the container `server`, requests and limits alike. */
  readonly resources: Readonly<Record<string, string>>;
  /** Entries of the pod's `resourceClaims`; the container `server` gets all of them. */
  readonly resourceClaims?: readonly { readonly name: string; readonly resourceClaimTemplateName: string }[];
  /** Objects that must be there before the pods, such as a ResourceClaimTemplate, of one of the backend's `kinds`. */
  readonly objects?: readonly { readonly resource: Resource; readonly object: KubeObject & { readonly spec: unknown } }[];
}

/** A node of a plan with the pool it is of. */
export interface PlanNode {
  readonly node: ObservedNode;
  readonly pool: ObservedPool;
  readonly backend: Backend;
}

/** What one look at the cluster starts from. */
export interface LookFacts {
  readonly view: ClusterView;
  readonly pools: readonly ObservedPool[];
  readonly nowMs: number;
}

/** Changes layouts during one look, plan by plan. */
export interface LayoutWorker {
  /** Works on the layout steps of a plan on the nodes of this backend. Nothing is promised to come of it before `commit`. */
  work(scene: LayoutScene): LayoutWork;
  /** After all plans: what objects that plans share must say, to be written before anything else. */
  shared(): readonly Write[];
}

/** What the work on layouts needs to know of a plan. */
export interface LayoutScene {
  readonly transition: TransitionDocument;
  readonly progress: Progress;
  /** Nodes of this backend, by name. */
  readonly nodes: ReadonlyMap<string, PlanNode>;
  readonly pods: Pods;
  /** Whether a pool may be changed now (maintenance windows). */
  isOpen(pool: ObservedPool): boolean;
}

/** What is done about the layouts of a plan. */
export interface LayoutWork {
  readonly writes: readonly Write[];
  /** Ids of steps under way, with what each waits for. */
  readonly running: ReadonlyMap<string, string>;
  readonly failures: readonly Problem[];
  /** ms from now; Infinity when only an event can help. */
  readonly againInMs: number;
  /** Nodes that must be emptied as a whole before they can change. */
  readonly drain: ReadonlySet<string>;
  /** Nodes on which nothing may be started now. */
  readonly closed: ReadonlySet<string>;
  /** Slices of which nothing may be started now, as `node profile`: an instance of theirs is about to go. */
  readonly closedSlices: ReadonlySet<string>;
  /** Nodes on which no pod is to be stopped before they are closed. */
  readonly unclosed: ReadonlySet<string>;
  /** Says that the writes are made: what they need of shared objects is kept. */
  commit(): void;
}

const strictness: readonly CostModel[] = ['instance', 'gpu-wipe', 'node'];

/** The strictest cost model of pools; `node` of none. */
export function strictestCostModel(pools: readonly ObservedPool[]): CostModel {
  const found = pools.flatMap(({ backend }) => (backend === undefined ? [] : [strictness.indexOf(backend.costModel)]));
  return strictness[Math.max(...found)] ?? 'node';
}

/** Whether a pod asks for a GPU or a part of one in any way that is known. */
export function asksForGpu(pod: Pod, backends: Backends): boolean {
  return [...backends.values()].some(({ allocation }) => allocation.isAskedBy(pod));
}

/** The models of pools, each once. */
export function modelsOf(pools: readonly ObservedPool[]): readonly GpuModel[] {
  return [...new Map(pools.flatMap(({ model }) => (model ? [[model.name, model] as const] : []))).values()];
}
