import type { TransitionDocument } from '../../demand/documents/transition.js';
import type { Problem } from '../../errors.js';
import { cordonNode } from '../backends/mig-manager/change-node.js';
import type { NodeConfig } from '../backends/mig-manager/config-map.js';
import type { ConfigKeeper } from '../backends/mig-manager/keep-configs.js';
import { annotations } from '../objects/names.js';
import type { SharingPlan } from '../objects/sharing-plan.js';
import type { ClusterView } from '../observe/cluster-view.js';
import { changeLayouts, isWiped, listClosingGpus, type PlanNode } from './change-layouts.js';
import { watchFloors } from './floors.js';
import type { WorkloadGroup } from './group-workloads.js';
import type { Pods } from './locate-pods.js';
import { isOpenAt } from './maintenance.js';
import { admitPods, drainNodes, startPods, stopPods } from './move-pods.js';
import { typeKey } from './own-pods.js';
import { listTypes, nameModels } from './planned-types.js';
import { followTransition, nodeOf, type Progress } from './progress.js';
import type { ObservedPool } from './read-hardware.js';
import type { ObservedGpu } from './read-node.js';
import { renewPods } from './renew-pods.js';
import { serveGroup } from './serve-group.js';
import type { Write } from './write.js';

/** What carrying out a plan needs. */
export interface PlanScene {
  readonly view: ClusterView;
  readonly group: WorkloadGroup;
  readonly plan: SharingPlan;
  readonly transition: TransitionDocument;
  readonly pods: Pods;
  keeperOf(pool: ObservedPool): ConfigKeeper;
  readonly nowMs: number;
}

/** Where a plan stands and what to do for it. */
export interface PlanWork {
  readonly progress: Progress;
  readonly writes: readonly Write[];
  readonly configs: ReadonlyMap<ObservedPool, Readonly<Record<string, NodeConfig>>>;
  /** Ids of steps under way, and what they wait for. */
  readonly running: ReadonlyMap<string, string>;
  readonly failures: readonly Problem[];
  readonly againInMs: number;
  /** Whether the cluster no longer fits the steps, so that a new plan is needed. */
  readonly drifted: boolean;
  readonly isReady: boolean;
}

/** Decides the next writes of a plan from nothing but what the cluster shows. */
export function carryOut(scene: PlanScene): PlanWork {
  const { view, group, plan, transition, pods, keeperOf, nowMs } = scene;
  const nodes = new Map<string, PlanNode>();
  const gpus = new Map<string, ObservedGpu>();
  for (const pool of group.pools) {
    for (const node of pool.nodes) {
      nodes.set(node.name, { node, pool });
      if (node.usable) for (const gpu of node.gpus) gpus.set(gpu.id, gpu);
    }
  }
  const modelOf = nameModels(transition, listModels(group));
  const progress = followTransition(transition, plan.status?.doneSteps ?? [], {
    pods,
    gpus,
    modelOf,
    isWiped: (step) => isWiped(step, nodes),
  });
  const { slots, strays, enabled, done } = progress;
  const isReady = done.size === transition.steps.length;
  const floorRps = new Map(plan.spec.services.map(({ key, rateRps, floorRps: floor }) => [key, isReady ? rateRps : floor]));
  // Types that no Deployment tells the throughput of are known from the plan.
  const types = listTypes(transition, modelOf);
  const capacityRps = new Map([...[...types].map(([type, one]) => [type, one.capacityRps] as const), ...pods.capacityRps]);
  const known: Pods = { ...pods, capacityRps };
  const floors = watchFloors(known, floorRps);

  const closingGpus = listClosingGpus(transition, progress);
  const leaving = slots.filter(({ want, pod }) => want === 'leave' && pod !== undefined);
  const closing = new Set(leaving.filter(({ gpu }) => closingGpus.has(gpu)).map(({ node }) => node));
  const isOpen = (pool: ObservedPool) => isOpenAt(pool.pool, nowMs);
  const layouts = changeLayouts({ transition, progress, nodes, pods, keeperOf, isOpen, closing, nowMs });
  const podScene = {
    slots,
    strays,
    pods: known,
    nodes,
    floors,
    closed: layouts.closed,
    mayStop: (name: string) => {
      const found = nodes.get(name);
      return found === undefined || (isOpen(found.pool) && !(closing.has(name) && found.node.cordon === 'no' && isClosable(found)));
    },
  };
  const cordons = [...closing].flatMap((name): Write[] => {
    const found = nodes.get(name);
    return found !== undefined && found.node.cordon === 'no' && isOpen(found.pool) && isClosable(found)
      ? [cordonNode(found.node.object, 'after its pods have gone')]
      : [];
  });
  const stops = stopPods(podScene);
  const drains = drainNodes(layouts.drain, podScene);
  const renewals = isReady ? renewPods(podScene) : [];
  const served = serveGroup({ view, group, types, slots, pods: known, floorRps, plannedRps: plannedRates(plan) });
  return {
    progress,
    writes: [
      ...served,
      ...admitPods(podScene),
      ...startPods(podScene),
      ...cordons,
      ...stops.writes,
      ...drains,
      ...renewals,
      ...layouts.writes,
    ],
    configs: layouts.configs,
    running: new Map([...enabled.map(({ id, kind }) => [id, kind] as const), ...layouts.running]),
    failures: layouts.failures,
    againInMs: layouts.againInMs,
    drifted: hasDrifted(progress, nodes, pods),
    isReady,
  };
}

function listModels({ pools }: WorkloadGroup): { readonly id: string; readonly type: string }[] {
  return pools.flatMap(({ model, nodes }) => nodes.flatMap(({ gpus }) => gpus.map(({ id }) => ({ id, type: model?.name ?? '' }))));
}

function plannedRates({ spec }: SharingPlan): ReadonlyMap<string, number> {
  return new Map(
    spec.services.flatMap(({ key, types = [] }) => types.map((type) => [typeKey({ service: key, ...type }), type.plannedRps] as const)),
  );
}

const isClosable = ({ pool, node }: PlanNode): boolean => pool.pool.spec.backend === 'mig-manager' && node.usable;

/**
 * Whether a GPU lacks an instance that the plan has a pod on, or pods sit on a GPU that is to be wiped while the plan believes
 * them elsewhere. Nodes in the middle of a change are not judged.
 */
function hasDrifted({ slots, enabled }: Progress, nodes: ReadonlyMap<string, PlanNode>, pods: Pods): boolean {
  const needed = new Map<string, number>();
  for (const { gpu, profile } of slots) needed.set(`${gpu} ${profile}`, (needed.get(`${gpu} ${profile}`) ?? 0) + 1);
  for (const [key, count] of needed) {
    const [id = '', profile = ''] = key.split(' ');
    const found = nodes.get(nodeOf(id));
    if (found === undefined || !isSettled(found)) continue;
    const gpu = found.node.gpus.find((one) => one.id === id);
    if (gpu === undefined) return true;
    const has =
      profile === 'full' ? Number(!gpu.migEnabled) : gpu.migEnabled ? gpu.instances.filter((one) => one.profile === profile).length : 0;
    if (has < count) return true;
  }
  const wiped = new Set(enabled.flatMap((step) => (step.kind === 'wipe-gpu' && step.layout.length > 0 ? [step.gpu] : [])));
  return pods.placed.some(({ gpu, seen, terminating }) => seen && !terminating && wiped.has(gpu));
}

function isSettled({ node }: PlanNode): boolean {
  const { annotations: notes = {} } = node.object.metadata;
  return node.usable && node.source !== 'none' && node.cordon === 'no' && notes[annotations.attempt] === undefined;
}
