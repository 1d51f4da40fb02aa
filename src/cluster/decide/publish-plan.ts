import type { Conflict } from '../../demand/conflict.js';
import type { StateDocument } from '../../demand/documents/state.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import { configMaps } from '../client/resources.js';
import { sharingPlans } from '../objects/kinds.js';
import { groupVersion, labels, managedBy } from '../objects/names.js';
import { describeSize, type SharingPlan } from '../objects/sharing-plan.js';
import type { PlanWork } from './carry-out.js';
import type { findReason, GroupPlans, InputHashes } from './choose-plan.js';
import { supersede } from './clear-away.js';
import type { WorkloadGroup } from './group-workloads.js';
import type { Planner } from './make-plan.js';
import { countUsedGpus, describeSaving, findObjective } from './plan-objective.js';
import { storeTransition } from './plan-storage.js';
import type { Write } from './write.js';

const plansKept = 3;

/** What a new plan is made for. */
export interface PlanRequest {
  readonly plans: GroupPlans;
  readonly group: WorkloadGroup;
  readonly state: StateDocument;
  readonly hashes: InputHashes;
  readonly reason: NonNullable<ReturnType<typeof findReason>>;
  readonly work: PlanWork | undefined;
}

/** What came of it. */
export interface MadeWrites {
  readonly writes: readonly Write[];
  readonly conflicts: readonly Conflict[];
  readonly kept?: string;
  /** When to try again although nothing has changed, ms from now. */
  readonly againInMs?: number;
  /** Whether a new plan is among the writes: the steps of the old one are over then. */
  readonly published?: true;
}

/** Plans a group and writes the plan down, unless the present one is kept or there is none. */
export async function publishPlan(
  { plans, group, state, hashes, reason, work }: PlanRequest,
  { planner, catalogue }: { readonly planner: Planner; readonly catalogue: GpuCatalogue },
): Promise<MadeWrites> {
  const { active } = plans;
  const minSavedGpus = Math.max(...group.workloads.map(({ object }) => object.spec.hysteresis?.minSavedGpus ?? 1));
  // Only a plan that stands may be kept: half of a transition is no state to stay in.
  const keep =
    reason === 'DemandChanged' && active !== undefined && work?.isReady === true
      ? { gpusByPool: countUsedGpus(work.transition), minSavedGpus }
      : undefined;
  const made = await planner({ group, state, catalogue, ...(keep && { keep }) });
  if (made.kind === 'infeasible') {
    const { conflicts, againInMs } = made;
    return { writes: [], conflicts, ...(againInMs !== undefined && { againInMs }) };
  }
  if (made.kind === 'keep') {
    const least = describeSaving(minSavedGpus, findObjective(group));
    return { writes: [], conflicts: [], kept: `The present plan meets the demand, and a new one would save less than ${least}.` };
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
  const why = `${describeSize(draft)}, ${draft.summary.podStarts} pod starts, ${draft.summary.wipes} wipes (${reason})`;
  return {
    writes: [...stored, { kind: 'create', resource: sharingPlans, where: { name }, object: plan, event: 'PlanMade', why }],
    conflicts: [],
    published: true,
  };
}

/** Plans that are over: the last ones are kept for whoever wants to know what happened. */
export function forgetPlans({ older }: GroupPlans): Write[] {
  const over = older.filter(({ status }) => status?.phase !== 'Superseded');
  const marks = over.map((plan) => supersede(plan, 'a newer plan counts'));
  const removed = older.slice(plansKept).map(({ metadata: { name, uid = '' } }): Write => {
    return { kind: 'remove', resource: sharingPlans, where: { name }, uid, why: 'newer plans are kept' };
  });
  return [...marks, ...removed];
}
