import type { Backend, Backends } from '../backends/backend.js';
import { sharingPlans } from '../objects/kinds.js';
import { modelLabel } from '../objects/names.js';
import type { SharingPlan } from '../objects/sharing-plan.js';
import type { ClusterView } from '../observe/cluster-view.js';
import { watchFloors } from './floors.js';
import type { WorkloadGroup } from './group-workloads.js';
import { isByHand } from './hand-over.js';
import type { Pods } from './locate-pods.js';
import { isOpenAt } from './maintenance.js';
import { evictPod } from './move-pods.js';
import type { ObservedPool } from './read-hardware.js';
import type { Write } from './write.js';

/** Opens nodes on which no plan is worked any more (`worked`: by which backend), with marks that a backend left there: a pool, a workload or a label has gone. */
export function releaseNodes(
  view: ClusterView,
  backends: Backends,
  worked: ReadonlyMap<string, Backend>,
  nowMs: number,
): { readonly writes: readonly Write[]; readonly againInMs: number } {
  const released = [...backends.values()].flatMap((backend) =>
    view.nodes.flatMap((node) => (worked.get(node.metadata.name) === backend ? [] : (backend.releaseNode?.(node, nowMs) ?? []))),
  );
  return {
    writes: released.flatMap(({ writes }) => writes),
    againInMs: Math.min(Number.POSITIVE_INFINITY, ...released.map(({ againInMs = Number.POSITIVE_INFINITY }) => againInMs)),
  };
}

/** Plans of groups that are no more, and of whose workloads none is left. */
export function closePlans({ plans, workloads }: ClusterView, groups: readonly WorkloadGroup[]): Write[] {
  const present = new Set(workloads.map(({ metadata }) => metadata.uid));
  const live = new Set(groups.map(({ name }) => name));
  const over = plans.filter(
    ({ spec, status }: SharingPlan) =>
      !live.has(spec.group) && status?.phase !== 'Superseded' && !spec.workloads.some(({ uid }) => present.has(uid)),
  );
  return over.map((plan) => supersede(plan, 'its workloads are gone'));
}

/** The write that says of a plan that it no longer counts. */
export function supersede({ metadata: { name, uid } }: SharingPlan, why: string): Write {
  return {
    kind: 'patch',
    subresource: 'status',
    resource: sharingPlans,
    where: { name },
    body: { metadata: { uid }, status: { phase: 'Superseded' } },
    why,
  };
}

/** A group whose plan stands. */
export interface StandingGroup {
  readonly group: WorkloadGroup;
  /** Services of which a pod is evicted in this look already. */
  readonly evicted: ReadonlySet<string>;
}

/**
 * Pods of planned workloads where their plan has none, because a node has left its pool, a workload its pools or a pool its model: they go
 * when the plan stands and the demand is met without them.
 */
export function evictLeftBehind(standing: readonly StandingGroup[], pods: Pods, pools: readonly ObservedPool[], nowMs: number): Write[] {
  const poolOf = new Map(pools.flatMap((pool) => pool.nodes.map(({ name }) => [name, pool] as const)));
  return standing.flatMap(({ group, evicted }) => {
    if (isByHand(group)) return [];
    const demandRps = new Map(group.workloads.flatMap(({ services }) => services.map(({ name, rateRps }) => [name, rateRps] as const)));
    const floors = watchFloors(pods, demandRps);
    const own = new Set(group.pools);
    return pods.placed.flatMap((pod): Write[] => {
      const pool = poolOf.get(pod.node);
      if (!demandRps.has(pod.service) || pod.terminating || evicted.has(pod.service)) return [];
      const isThere = pool !== undefined && own.has(pool) && modelLabel(pool.model?.name ?? '') === modelLabel(pod.gpuModel);
      if (isThere || (pool !== undefined && !isOpenAt(pool.pool, nowMs))) return [];
      return floors.release(pod) ? evictPod(pod, 'its node is in none of its pools, or of another model') : [];
    });
  });
}
