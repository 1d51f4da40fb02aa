import type { TransitionDocument } from '../../demand/documents/transition.js';
import type { Problem } from '../../errors.js';
import type { Backend, LayoutStep, LayoutWork, LayoutWorker, PlanNode } from '../backends/backend.js';
import type { SharingPlan } from '../objects/sharing-plan.js';
import type { ClusterView } from '../observe/cluster-view.js';
import { watchFloors } from './floors.js';
import type { WorkloadGroup } from './group-workloads.js';
import { filesName, isByHand } from './hand-over.js';
import { hasDrifted } from './has-drifted.js';
import type { LocatedPod, Pods } from './locate-pods.js';
import { isOpenAt } from './maintenance.js';
import { admitPods, drainNodes, startPods, stopPods } from './move-pods.js';
import { planNamespace } from './plan-storage.js';
import { listPlannedRates } from './planned-rates.js';
import { listTypes, nameModels, type PlannedType } from './planned-types.js';
import { followTransition, nodeOf, type Progress } from './progress.js';
import type { ObservedPool } from './read-hardware.js';
import type { ObservedGpu } from './read-node.js';
import { renewBrokenPods, renewPods } from './renew-pods.js';
import { serveGroup } from './serve-group.js';
import type { Owner } from './whose-pods.js';
import type { Write } from './write.js';

/** What carrying out a plan needs. */
export interface PlanScene {
  readonly view: ClusterView;
  readonly group: WorkloadGroup;
  readonly plan: SharingPlan;
  readonly transition: TransitionDocument;
  readonly pods: Pods;
  ownerOf(service: string): Owner;
  workerOf(backend: Backend): LayoutWorker;
  readonly nowMs: number;
}

/** Where a plan stands and what to do for it. */
export interface PlanWork {
  readonly transition: TransitionDocument;
  readonly progress: Progress;
  readonly writes: readonly Write[];
  /** Ids of steps under way, and what they wait for. */
  readonly running: ReadonlyMap<string, string>;
  readonly failures: readonly Problem[];
  readonly againInMs: number;
  /** Whether the cluster no longer fits the steps, so that a new plan is needed. */
  readonly drifted: boolean;
  /** Services of which pods are evicted. */
  readonly evicted: ReadonlySet<string>;
  readonly isReady: boolean;
  /** Where a person finds what to do, when it is for a person to do. */
  readonly handedOver?: string;
  /** Says that the writes are made. */
  commit(): void;
}

/** Decides the next writes of a plan from nothing but what the cluster shows. */
export function carryOut(scene: PlanScene): PlanWork {
  const { group, plan, transition, pods, nowMs } = scene;
  const nodes = listNodes(group);
  const byHand = isByHand(group);
  const modelOf = nameModels(transition, listModels(group));
  const gpus = new Map<string, ObservedGpu>();
  for (const { node } of nodes.values()) if (node.usable) for (const gpu of node.gpus) gpus.set(gpu.id, gpu);
  const isCut = (step: LayoutStep): boolean => {
    // An empty layout releases the GPU: nothing needs to be cut for that.
    if (step.kind === 'wipe-gpu' && step.layout.length === 0) return true;
    const found = nodes.get(nodeOf(step.gpu));
    return found?.backend.isDone(step, found) === true;
  };
  const progress = followTransition(transition, plan.status?.doneSteps ?? [], { pods, gpus, modelOf, isCut, anyNode: byHand });
  const isReady = progress.done.size === transition.steps.length;
  const isOpen = (pool: ObservedPool) => isOpenAt(pool.pool, nowMs);
  const layouts = changeLayouts(scene, nodes, progress, isOpen);
  const types = listTypes(transition, modelOf);
  const moved = byHand ? [] : movePods({ ...scene, nodes, types, progress, isReady, layouts, isOpen });
  return {
    transition,
    progress,
    writes: [...moved, ...layouts.flatMap(({ writes }) => writes)],
    running: new Map([
      ...progress.enabled.map(({ id, kind }) => [id, byHand ? `${kind} by hand` : kind] as const),
      ...layouts.flatMap(({ running }) => [...running]),
    ]),
    failures: layouts.flatMap(({ failures }) => failures),
    againInMs: Math.min(Number.POSITIVE_INFINITY, ...layouts.map((one) => one.againInMs)),
    evicted: listEvicted(moved, pods),
    drifted: hasDrifted(progress, nodes, pods),
    isReady,
    ...(byHand && { handedOver: `kubectl get configmap -n ${planNamespace} ${filesName(plan)}` }),
    commit() {
      for (const one of layouts) one.commit();
    },
  };
}

function listEvicted(writes: readonly Write[], { placed }: Pods): ReadonlySet<string> {
  const uids = new Set(writes.flatMap((write) => (write.kind === 'evict' ? [write.uid] : [])));
  return new Set(placed.flatMap(({ pod, service }) => (uids.has(pod.metadata.uid ?? '') ? [service] : [])));
}

function listNodes({ pools }: WorkloadGroup): ReadonlyMap<string, PlanNode> {
  return new Map(
    pools.flatMap((pool) => {
      const { backend } = pool;
      return backend === undefined ? [] : pool.nodes.map((node) => [node.name, { node, pool, backend }] as const);
    }),
  );
}

function listModels({ pools }: WorkloadGroup): { readonly id: string; readonly type: string }[] {
  return pools.flatMap(({ model, nodes }) => nodes.flatMap(({ gpus }) => gpus.map(({ id }) => ({ id, type: model?.name ?? '' }))));
}

/** Each backend works on the nodes that are its own. */
function changeLayouts(
  { transition, pods, workerOf }: PlanScene,
  nodes: ReadonlyMap<string, PlanNode>,
  progress: Progress,
  isOpen: (pool: ObservedPool) => boolean,
): readonly LayoutWork[] {
  const backends = new Set([...nodes.values()].map(({ backend }) => backend));
  return [...backends].map((backend) => {
    const own = new Map([...nodes].filter(([, node]) => node.backend === backend));
    return workerOf(backend).work({ transition, progress, nodes: own, pods, isOpen });
  });
}

interface MoveScene extends PlanScene {
  readonly nodes: ReadonlyMap<string, PlanNode>;
  readonly types: ReadonlyMap<string, PlannedType>;
  readonly progress: Progress;
  readonly isReady: boolean;
  readonly layouts: readonly LayoutWork[];
  isOpen(pool: ObservedPool): boolean;
}

/** Deployments and what stands before them, then pods that come, then pods that go. */
function movePods({ view, group, plan, pods, ownerOf, nodes, types, progress, isReady, layouts, isOpen }: MoveScene): Write[] {
  const { slots, strays } = progress;
  const floorRps = new Map(plan.spec.services.map(({ key, rateRps, floorRps: floor }) => [key, isReady ? rateRps : floor]));
  // Types that no Deployment tells the throughput of are known from the plan.
  const capacityRps = new Map([...[...types].map(([type, one]) => [type, one.capacityRps] as const), ...pods.capacityRps]);
  const known: Pods = { ...pods, capacityRps };
  const all = (keys: (work: LayoutWork) => Iterable<string>) => new Set(layouts.flatMap((work) => [...keys(work)]));
  const unclosed = all((work) => work.unclosed);
  const podScene = {
    slots,
    strays,
    pods: known,
    nodes,
    floors: watchFloors(known, floorRps),
    closed: all(({ closed }) => closed),
    closedSlices: all(({ closedSlices }) => closedSlices),
    mayLeave: ({ service }: LocatedPod) => ownerOf(service) === 'own' || ownerOf(service) === 'gone',
    mayStop: (name: string) => {
      const found = nodes.get(name);
      return found === undefined || (isOpen(found.pool) && !unclosed.has(name));
    },
  };
  const stops = stopPods(podScene);
  const drains = drainNodes(
    all(({ drain }) => drain),
    podScene,
  );
  const renewals = isReady ? renewPods(podScene) : renewBrokenPods(podScene);
  const served = serveGroup({ view, group, types, slots, pods: known, floorRps, plannedRps: listPlannedRates(plan) });
  return [...served, ...admitPods(podScene), ...startPods(podScene), ...stops, ...drains, ...renewals];
}
