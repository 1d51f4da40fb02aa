import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import type { Backend, Backends, LayoutWorker } from '../backends/backend.js';
import { labels } from '../objects/names.js';
import type { SharingPlan } from '../objects/sharing-plan.js';
import type { ClusterView } from '../observe/cluster-view.js';
import { adoptParts } from './adopt-parts.js';
import { buildState } from './build-state.js';
import { carryOut, type PlanWork } from './carry-out.js';
import { choosePlans, findReason, type GroupPlans, hashInputs, listDoubtsMs } from './choose-plan.js';
import { closePlans, evictLeftBehind, releaseNodes, type StandingGroup } from './clear-away.js';
import { watchFloors } from './floors.js';
import { groupWorkloads, type WorkloadGroup } from './group-workloads.js';
import { handOver, isByHand } from './hand-over.js';
import { listGuarantees } from './list-guarantees.js';
import { listHindrances } from './list-hindrances.js';
import { listTroubles, type Refusal } from './list-troubles.js';
import { locatePods, type Pods } from './locate-pods.js';
import type { Planner } from './make-plan.js';
import type { Memory } from './memory.js';
import { evictPod } from './move-pods.js';
import type { OwnPod } from './own-pods.js';
import { loadTransition } from './plan-storage.js';
import { forgetPlans, publishPlan } from './publish-plan.js';
import { type ObservedPool, readHardware } from './read-hardware.js';
import { type ReadWorkload, readWorkloads } from './read-workloads.js';
import { reportPlan, reportWorkload } from './report.js';
import { reportPool } from './report-pool.js';
import { listUnevenServices } from './uneven-slices.js';
import { createOwnerFinder, createStandingCheck, holdBlindNodes, type Owner } from './whose-pods.js';
import type { Write } from './write.js';

/** What is handed to a decision besides the cluster. */
export interface DecideContext {
  readonly catalogue: GpuCatalogue;
  readonly backends: Backends;
  readonly planner: Planner;
  readonly memory: Memory;
  readonly nowMs: number;
  /** What the API server refuses: told, and never decided from. */
  readonly refusals?: readonly Refusal[];
}

/** What one group came to, for metrics. */
export interface GroupFacts {
  readonly name: string;
  readonly plan?: SharingPlan | undefined;
  readonly work?: PlanWork | undefined;
  readonly services: readonly { readonly key: string; readonly rateRps: number; readonly readyRps: number }[];
}

/** Writes in the order in which they are to be made, each safe to be the last; and when to look again without an event. */
export interface Decision {
  readonly writes: readonly Write[];
  readonly againInMs: number;
  readonly groups: readonly GroupFacts[];
  readonly pools: readonly ObservedPool[];
}

/** From what the cluster holds to what to write next. Remembers nothing: equal views give equal decisions. */
export async function decide(view: ClusterView, context: DecideContext): Promise<Decision> {
  const { catalogue, backends, memory, nowMs } = context;
  const at = new Date(nowMs).toISOString();
  const hardware = readHardware(view, context);
  const workloads = readWorkloads(view, hardware, catalogue, memory);
  const isStanding = createStandingCheck(workloads);
  const pods = locatePods(view, hardware, backends);
  const pools = holdBlindNodes(hardware, pods, isStanding);
  const groups = groupWorkloads(workloads, pools);
  const workers = beginWork(view, pools, context);
  const writes: Write[] = [];
  const facts: GroupFacts[] = [];
  const worked = new Map<string, Backend>();
  const standing: StandingGroup[] = [];
  let againInMs = Number.POSITIVE_INFINITY;
  const { readyRps } = watchFloors(pods, new Map());
  for (const group of groups) {
    const before = writes.length;
    const plans = choosePlans(group, view.plans, view.approvals);
    const ownerOf = createOwnerFinder(workloads, group);
    const work = workOn(plans, group, { view, pods, workers, ownerOf, context });
    const state = buildState(group, pods, listGuarantees(plans, group, ownerOf, view, memory));
    const hashes = hashInputs(group, state);
    // A plan whose parts are gone can be followed by nobody.
    const isLost = plans.active !== undefined && work === undefined;
    const reason = findReason(plans, hashes, { isDoubtful: listDoubtsMs(group).length > 0, isDrifted: isLost || work?.drifted === true });
    const made = reason === undefined ? undefined : await publishPlan({ plans, group, state, hashes, reason, work }, context);
    if (made !== undefined) writes.push(...made.writes);
    const acts = work !== undefined && made?.published !== true ? work : undefined;
    const reports = reportPlans(plans, work, view, memory, at);
    // What is done is on record before anything follows from it that could undo it; that all is ready, after the last write for it.
    writes.push(...(work?.isReady === true ? [...(acts?.writes ?? []), ...reports] : [...reports, ...(acts?.writes ?? [])]));
    acts?.commit();
    againInMs = Math.min(againInMs, acts?.againInMs ?? Number.POSITIVE_INFINITY, made?.againInMs ?? Number.POSITIVE_INFINITY);
    if (isByHand(group)) writes.push(...handOverAll(plans, group, view, context));
    writes.push(...adoptParts(plans, view), ...forgetPlans(plans));
    for (const workload of group.workloads) {
      const { active: plan, proposed, consent } = plans;
      const hindrances = listHindrances(view, group, workload);
      const uneven = listUnevenServices(workload, plan, pods, view);
      const troubles = listTroubles(view, workload, context.refusals ?? [], nowMs);
      const { conflicts = [], kept } = made ?? {};
      writes.push(
        ...reportWorkload({ workload, plan, proposed, consent, work, conflicts, kept, troubles, hindrances, uneven, readyRps }, at),
      );
    }
    if (work !== undefined)
      for (const { backend, nodes } of group.pools) for (const { name } of nodes) if (backend) worked.set(name, backend);
    if (work?.isReady === true && acts !== undefined) standing.push({ group, evicted: acts.evicted });
    writes.push(...writes.splice(before).map((write) => ({ ...write, group: group.name })));
    facts.push({ name: group.name, plan: plans.active, work, services: listServices(group, readyRps) });
  }
  for (const workload of workloads) {
    if (workload.problems.length > 0) writes.push(...reportWorkload({ workload, conflicts: [], hindrances: [], readyRps }, at));
  }
  const shared = [...workers.values()].flatMap((worker) => worker.shared());
  const cleared = listEnded(pods, workloads, pools).flatMap((pod) => evictPod(pod, 'it has ended'));
  const left = evictLeftBehind(standing, pods, pools, nowMs);
  const released = releaseNodes(view, backends, worked, nowMs);
  const poolReports = pools.flatMap((pool) => reportPool(pool, pods, isStanding, at));
  againInMs = Math.min(againInMs, released.againInMs, ...groups.flatMap(listDoubtsMs));
  const over = closePlans(view, groups);
  return {
    writes: [...shared, ...writes, ...cleared, ...left, ...released.writes, ...over, ...poolReports],
    againInMs,
    groups: facts,
    pools,
  };
}

/** The files of the plan that is carried out, and of the one that waits. */
function handOverAll({ active, proposed }: GroupPlans, group: WorkloadGroup, view: ClusterView, context: DecideContext): Write[] {
  return [active, proposed].flatMap((plan) => {
    const transition = plan && loadTransition(plan, view.configMaps, context.memory);
    return plan === undefined || transition === undefined ? [] : handOver(plan, transition, group, { view, ...context });
  });
}

/** Pods that have ended and are still there, without those of workloads that a person looks after. */
function listEnded({ ended }: Pods, workloads: readonly ReadWorkload[], pools: readonly ObservedPool[]): readonly OwnPod[] {
  const byHand = new Set(pools.filter(({ backend }) => backend?.executor === 'person').map(({ pool }) => pool.metadata.name));
  const left = new Set(
    workloads
      .filter(({ object }) => object.spec.pools.some((pool) => byHand.has(pool)))
      .map(({ namespace, name }) => `${namespace}/${name}`),
  );
  return ended.filter(
    ({ terminating, pod: { metadata } }) => !terminating && !left.has(`${metadata.namespace}/${metadata.labels?.[labels.workload]}`),
  );
}

/** One worker a backend, for the pools that are its own. */
function beginWork(view: ClusterView, pools: readonly ObservedPool[], { nowMs }: DecideContext): ReadonlyMap<Backend, LayoutWorker> {
  const backends = new Set(pools.flatMap(({ backend }) => backend ?? []));
  return new Map(
    [...backends].map((backend) => [backend, backend.begin({ view, pools: pools.filter((pool) => pool.backend === backend), nowMs })]),
  );
}

interface WorkScene {
  readonly view: ClusterView;
  readonly pods: Pods;
  readonly workers: ReadonlyMap<Backend, LayoutWorker>;
  readonly ownerOf: (service: string) => Owner;
  readonly context: DecideContext;
}

function workOn({ active }: GroupPlans, group: WorkloadGroup, { view, pods, workers, ownerOf, context }: WorkScene): PlanWork | undefined {
  const transition = active && loadTransition(active, view.configMaps, context.memory);
  if (active === undefined || transition === undefined) return undefined;
  return carryOut({
    view,
    group,
    plan: active,
    transition,
    pods,
    ownerOf,
    workerOf: (backend) => workers.get(backend) as LayoutWorker,
    nowMs: context.nowMs,
  });
}

function reportPlans(
  { active, proposed, consent }: GroupPlans,
  work: PlanWork | undefined,
  view: ClusterView,
  memory: Memory,
  at: string,
): Write[] {
  const totalOf = (plan: SharingPlan) => loadTransition(plan, view.configMaps, memory)?.steps.length ?? 0;
  return [
    ...(active && work ? reportPlan(active, work, proposed === undefined ? consent : undefined, totalOf(active), at) : []),
    ...(proposed ? reportPlan(proposed, undefined, consent, totalOf(proposed), at) : []),
  ];
}

function listServices({ workloads }: WorkloadGroup, readyRps: (service: string) => number): GroupFacts['services'] {
  return workloads.flatMap(({ services }) => services.map(({ name, rateRps }) => ({ key: name, rateRps, readyRps: readyRps(name) })));
}
