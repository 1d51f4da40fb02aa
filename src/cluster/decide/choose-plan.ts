import type { StateDocument } from '../../demand/documents/state.js';
import type { PlanApproval, SharingPlan } from '../objects/sharing-plan.js';
import { type Consent, findConsent } from './approve.js';
import type { WorkloadGroup } from './group-workloads.js';
import { hashOf } from './make-plan.js';

/** The plans of a group by what they are good for. */
export interface GroupPlans {
  /** The plan that is carried out or has been; absent before the first. */
  readonly active?: SharingPlan;
  /** A newer plan that waits for an approval. */
  readonly proposed?: SharingPlan;
  /** Consent to the newest plan. */
  readonly consent?: Consent;
  /** Highest number given so far; 0 before the first. */
  readonly sequence: number;
  readonly older: readonly SharingPlan[];
}

/** Finds the newest plan of a group that may be carried out, and what waits beside it. */
export function choosePlans(group: WorkloadGroup, plans: readonly SharingPlan[], approvals: readonly PlanApproval[]): GroupPlans {
  const own = plans.filter(({ spec }) => spec.group === group.name).sort((a, b) => b.spec.sequence - a.spec.sequence);
  const [newest] = own;
  if (newest === undefined) return { sequence: 0, older: [] };
  const consent = findConsent(newest, group, approvals);
  // Its workloads were gone for a while: what ran then is no guide.
  const isOver = newest.status?.phase === 'Superseded';
  const isActive = !isOver && (consent.given || newest.status?.phase === 'Applying' || newest.status?.phase === 'Ready');
  const active = isActive ? newest : own.find(({ status }) => status?.phase === 'Applying' || status?.phase === 'Ready');
  return {
    ...(active && { active }),
    ...(!isActive && !isOver && { proposed: newest }),
    consent,
    sequence: newest.spec.sequence,
    older: own.filter((plan) => plan !== active && plan !== newest),
  };
}

/** Hashes by which it is seen that a plan no longer fits. */
export interface InputHashes {
  readonly inputHash: string;
  readonly hardwareHash: string;
  readonly stateHash: string;
}

/** What a plan is made from: the demand, the GPUs that may be used, and what runs on them. */
export function hashInputs(group: WorkloadGroup, state: StateDocument): InputHashes {
  return {
    inputHash: hashOf({
      workloads: group.workloads.map(({ namespace, name, hash, object }) => ({ namespace, name, hash, uid: object.metadata.uid })),
      pools: group.pools.map(({ pool: { metadata, spec } }) => {
        const { maintenanceWindows: _windows, migManager: _patience, nodeSelector: _nodes, ...rest } = spec;
        return { name: metadata.name, ...rest };
      }),
    }),
    hardwareHash: hashOf(
      state.gpus.map(({ id, pool, type, reserved, instances }) => ({
        id,
        pool,
        type,
        reserved: reserved === true,
        held: instances.filter((instance) => instance.reserved === true),
      })),
    ),
    stateHash: hashOf(state),
  };
}

/** Times after which reports that contradict the device plugin count as wrong, ms from now; none when all nodes agree. */
export function listDoubtsMs({ pools }: WorkloadGroup): readonly number[] {
  return pools.flatMap(({ nodes }) => nodes.flatMap(({ settlesInMs }) => (settlesInMs === undefined ? [] : [settlesInMs + 1])));
}

/**
 * Why a new plan is needed; undefined when the present one still fits, and while a report may be wrong: a plan made from that would
 * take pods for gone that deliver.
 */
export function findReason(
  { active, proposed }: GroupPlans,
  hashes: InputHashes,
  { isDoubtful, isDrifted }: { readonly isDoubtful: boolean; readonly isDrifted: boolean },
): 'FirstPlan' | 'DemandChanged' | 'HardwareChanged' | 'StateChanged' | undefined {
  const newest = proposed ?? active;
  if (isDoubtful) return undefined;
  if (newest === undefined) return 'FirstPlan';
  if (newest.spec.inputHash !== hashes.inputHash) return 'DemandChanged';
  if (newest.spec.hardwareHash !== hashes.hardwareHash) return 'HardwareChanged';
  // While steps are under way the state changes all the time; a proposal is brought up to date when they are done.
  if (proposed !== undefined && active?.status?.phase !== 'Applying' && newest.spec.stateHash !== hashes.stateHash) return 'StateChanged';
  return isDrifted ? 'StateChanged' : undefined;
}
