import type { Conflict } from '../../demand/conflict.js';
import type { StateDocument } from '../../demand/documents/state.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import { isoTime } from '../backends/mig-manager/change-node.js';
import { type MigManagerSettings, migManagerSettings, type NodeConfig } from '../backends/mig-manager/config-map.js';
import { type ConfigKeeper, createConfigKeeper } from '../backends/mig-manager/keep-configs.js';
import { configMaps } from '../client/resources.js';
import { sharingPlans } from '../objects/kinds.js';
import { groupVersion, labels, managedBy } from '../objects/names.js';
import type { SharingPlan } from '../objects/sharing-plan.js';
import type { ClusterView } from '../observe/cluster-view.js';
import { buildState, type Guarantees } from './build-state.js';
import { carryOut, type PlanWork } from './carry-out.js';
import { choosePlans, findReason, type GroupPlans, hashInputs, type InputHashes } from './choose-plan.js';
import { watchFloors } from './floors.js';
import { groupWorkloads, type WorkloadGroup } from './group-workloads.js';
import { locatePods, type Pods } from './locate-pods.js';
import type { Planner } from './make-plan.js';
import type { Memory } from './memory.js';
import { evictPod } from './move-pods.js';
import { loadTransition, storeTransition } from './plan-storage.js';
import { type ObservedPool, readHardware } from './read-hardware.js';
import { type ReadWorkload, readWorkloads } from './read-workloads.js';
import { reportPlan, reportWorkload } from './report.js';
import { reportPool } from './report-pool.js';
import { listRouteProblems } from './serve-routes.js';
import type { Write } from './write.js';

/** What is handed to a decision besides the cluster. */
export interface DecideContext {
  readonly catalogue: GpuCatalogue;
  readonly planner: Planner;
  readonly memory: Memory;
  readonly nowMs: number;
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

const plansKept = 3;

/** From what the cluster holds to what to write next. Remembers nothing: equal views give equal decisions. */
export async function decide(view: ClusterView, context: DecideContext): Promise<Decision> {
  const { catalogue, memory, nowMs } = context;
  const at = isoTime(nowMs);
  const pools = readHardware(view, catalogue, nowMs);
  const workloads = readWorkloads(view, pools, catalogue, memory);
  const groups = groupWorkloads(workloads, pools);
  const pods = locatePods(view.pods, view.deployments, pools);
  const keepers = createKeepers(view, pools, nowMs);
  const writes: Write[] = [];
  const wanted = new Map<ConfigKeeper, Record<string, NodeConfig>>();
  const facts: GroupFacts[] = [];
  let againInMs = Number.POSITIVE_INFINITY;
  const { readyRps } = watchFloors(pods, new Map());
  for (const group of groups) {
    const plans = choosePlans(group, view.plans, view.approvals);
    const work = workOn(plans, group, { view, pods, keepers, context });
    const state = buildState(group, pods, listGuarantees(plans, view, memory));
    const hashes = hashInputs(group, state);
    const reason = findReason(plans, hashes) ?? (work?.drifted === true ? ('StateChanged' as const) : undefined);
    const made = reason === undefined ? undefined : await makePlan({ plans, group, state, hashes, reason, work }, context);
    if (made !== undefined) writes.push(...made.writes);
    if (work !== undefined && made?.published !== true) {
      writes.push(...work.writes);
      againInMs = Math.min(againInMs, work.againInMs);
      for (const [pool, configs] of work.configs) {
        const keeper = keepers.get(pool) as ConfigKeeper;
        wanted.set(keeper, { ...wanted.get(keeper), ...configs });
      }
    }
    // Standard configs are there before anybody needs them, and after somebody removed them.
    for (const pool of group.pools) {
      const keeper = keepers.get(pool);
      if (keeper !== undefined && pool.pool.spec.backend === 'mig-manager' && plans.active !== undefined)
        wanted.set(keeper, wanted.get(keeper) ?? {});
    }
    writes.push(...reportPlans(plans, work, view, memory, at), ...forget(plans));
    for (const workload of group.workloads) {
      const { active: plan, proposed, consent } = plans;
      const nodeProblems = [...listNodeProblems(group), ...listForeignBudgets(view, workload), ...listRouteProblems(view, workload.object)];
      writes.push(
        ...reportWorkload(
          { workload, plan, proposed, consent, work, conflicts: made?.conflicts ?? [], kept: made?.kept, nodeProblems, readyRps },
          at,
        ),
      );
    }
    facts.push({ name: group.name, plan: plans.active, work, services: listServices(group, readyRps) });
  }
  for (const workload of workloads) {
    if (workload.problems.length > 0) writes.push(...reportWorkload({ workload, conflicts: [], nodeProblems: [], readyRps }, at));
  }
  const configWrites = [...wanted].flatMap(([keeper, configs]) => keeper.keep(configs) ?? []);
  const cleared = pods.ended.flatMap((pod) => (pod.terminating ? [] : evictPod(pod, 'it has ended')));
  const reports = pools.flatMap((pool) => reportPool(pool, pods, at));
  return { writes: [...configWrites, ...writes, ...cleared, ...reports], againInMs, groups: facts, pools };
}

/** One keeper for each ConfigMap; pools may share one. */
function createKeepers(view: ClusterView, pools: readonly ObservedPool[], nowMs: number): ReadonlyMap<ObservedPool, ConfigKeeper> {
  const byMap = new Map<string, { settings: MigManagerSettings; pools: ObservedPool[] }>();
  for (const pool of pools) {
    const settings = migManagerSettings(pool.pool);
    const key = `${settings.namespace}/${settings.configMap}`;
    const entry = byMap.get(key) ?? { settings, pools: [] };
    entry.pools.push(pool);
    byMap.set(key, entry);
  }
  return new Map(
    [...byMap.values()].flatMap(({ settings, pools: own }) => {
      const models = [...new Map(own.flatMap(({ model }) => (model ? [[model.name, model] as const] : []))).values()];
      const nodes = own.flatMap((pool) => pool.nodes.map(({ object }) => object));
      const keeper = createConfigKeeper({ maps: view.configMaps, settings, models, nodes, nowMs });
      return own.map((pool) => [pool, keeper] as const);
    }),
  );
}

interface WorkScene {
  readonly view: ClusterView;
  readonly pods: Pods;
  readonly keepers: ReadonlyMap<ObservedPool, ConfigKeeper>;
  readonly context: DecideContext;
}

function workOn({ active }: GroupPlans, group: WorkloadGroup, { view, pods, keepers, context }: WorkScene): PlanWork | undefined {
  const transition = active && loadTransition(active, view.configMaps, context.memory);
  if (active === undefined || transition === undefined) return undefined;
  return carryOut({
    view,
    group,
    plan: active,
    transition,
    pods,
    keeperOf: (pool) => keepers.get(pool) as ConfigKeeper,
    nowMs: context.nowMs,
  });
}

/** What services can count on now: the demand of a plan that is carried out, the floor of one that is under way. */
function listGuarantees({ active }: GroupPlans, view: ClusterView, memory: Memory): Guarantees {
  if (active === undefined) return new Map();
  const known = new Map(loadTransition(active, view.configMaps, memory)?.target.services.map((service) => [service.name, service]));
  const isReady = active.status?.phase === 'Ready';
  return new Map(
    active.spec.services.map(({ key, rateRps, floorRps }) => {
      const { model = key, latencyMs = 1 } = known.get(key) ?? {};
      return [key, { model, latencyMs, rateRps: isReady ? rateRps : floorRps }];
    }),
  );
}

interface PlanRequest {
  readonly plans: GroupPlans;
  readonly group: WorkloadGroup;
  readonly state: StateDocument;
  readonly hashes: InputHashes;
  readonly reason: NonNullable<ReturnType<typeof findReason>>;
  readonly work: PlanWork | undefined;
}

interface MadeWrites {
  readonly writes: readonly Write[];
  readonly conflicts: readonly Conflict[];
  readonly kept?: string;
  /** Whether a new plan is among the writes: the steps of the old one are over then. */
  readonly published?: true;
}

async function makePlan(
  { plans, group, state, hashes, reason, work }: PlanRequest,
  { planner, catalogue }: DecideContext,
): Promise<MadeWrites> {
  const { active } = plans;
  const minSavedGpus = Math.max(...group.workloads.map(({ object }) => object.spec.hysteresis?.minSavedGpus ?? 1));
  // Only a plan that stands may be kept: half of a transition is no state to stay in.
  const keep =
    reason === 'DemandChanged' && active !== undefined && work?.isReady === true ? { gpus: active.spec.gpus, minSavedGpus } : undefined;
  const made = await planner({ group, state, catalogue, ...(keep && { keep }) });
  if (made.kind === 'infeasible') return { writes: [], conflicts: made.conflicts };
  if (made.kind === 'keep') {
    return {
      writes: [],
      conflicts: [],
      kept: `The present plan meets the demand, and a new one would save fewer than ${minSavedGpus} GPUs.`,
    };
  }
  const { transition, ...draft } = made.draft;
  const sequence = plans.sequence + 1;
  const name = `${group.name}-${sequence}`;
  const { spec, parts } = storeTransition(transition, name);
  const plan: SharingPlan = {
    apiVersion: groupVersion,
    kind: 'SharingPlan',
    metadata: { name, labels: { ...managedBy, [labels.group]: group.name } },
    spec: {
      group: group.name,
      sequence,
      workloads: group.workloads.map(({ namespace, name: own, object: { metadata } }) => ({
        namespace,
        name: own,
        uid: metadata.uid ?? '',
        generation: metadata.generation ?? 0,
      })),
      ...draft,
      ...hashes,
      ...spec,
    },
  };
  const stored = parts.map((object): Write => {
    const { namespace = '', name: part } = object.metadata;
    return { kind: 'apply', resource: configMaps, where: { namespace, name: part }, object, why: `a part of plan ${name}` };
  });
  const why = `${draft.gpus} GPUs, bound ${draft.bound}, ${draft.summary.podStarts} pod starts, ${draft.summary.wipes} wipes (${reason})`;
  return {
    writes: [...stored, { kind: 'create', resource: sharingPlans, where: { name }, object: plan, event: 'PlanMade', why }],
    conflicts: [],
    published: true,
  };
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

/** Plans that are over: the last ones are kept for whoever wants to know what happened. */
function forget({ older }: GroupPlans): Write[] {
  const over = older.filter(({ status }) => status?.phase !== 'Superseded');
  const marks = over.map(({ metadata: { name, uid } }): Write => {
    return {
      kind: 'patch',
      subresource: 'status',
      resource: sharingPlans,
      where: { name },
      body: { metadata: { uid }, status: { phase: 'Superseded' } },
      why: 'a newer plan counts',
    };
  });
  const removed = older.slice(plansKept).map(({ metadata: { name, uid = '' } }): Write => {
    return { kind: 'remove', resource: sharingPlans, where: { name }, uid, why: 'newer plans are kept' };
  });
  return [...marks, ...removed];
}

function listNodeProblems({ pools }: WorkloadGroup): string[] {
  const nodes = pools.flatMap((pool) => pool.nodes);
  const blind = nodes.filter(({ source }) => source !== 'agent').map(({ name }) => name);
  const wrong = nodes.flatMap(({ problems }) => problems.map(({ code, message }) => `${code}: ${message}`));
  return [
    ...(blind.length === 0
      ? []
      : [
          `Without an agent a node changes as a whole: ${blind.slice(0, 5).join(', ')}${blind.length > 5 ? ` and ${blind.length - 5} more` : ''}.`,
        ]),
    ...wrong.slice(0, 5),
  ];
}

/** With a second budget the API server refuses every eviction of a pod. */
function listForeignBudgets({ budgets, pods }: ClusterView, { namespace, name }: ReadWorkload): string[] {
  const own = pods.filter(({ metadata }) => metadata.namespace === namespace && metadata.labels?.[labels.workload] === name);
  const foreign = budgets.filter(({ metadata, spec }) => {
    const { matchLabels = {}, matchExpressions = [] } = spec.selector ?? {};
    if (metadata.namespace !== namespace || metadata.labels?.[labels.workload] !== undefined || matchExpressions.length > 0) return false;
    return own.some((pod) => Object.entries(matchLabels).every(([key, value]) => pod.metadata.labels?.[key] === value));
  });
  return foreign.map(
    ({ metadata }) =>
      `PodDisruptionBudget ${metadata.name} selects pods that have a budget already: they cannot be evicted until it is gone.`,
  );
}

function listServices({ workloads }: WorkloadGroup, readyRps: (service: string) => number): GroupFacts['services'] {
  return workloads.flatMap(({ services }) => services.map(({ name, rateRps }) => ({ key: name, rateRps, readyRps: readyRps(name) })));
}
