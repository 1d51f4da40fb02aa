import type { PlanApproval, SharingPlan } from '../objects/sharing-plan.js';
import type { WorkloadGroup } from './group-workloads.js';

/** Whether a plan may be carried out, and why. */
export interface Consent {
  readonly given: boolean;
  readonly reason: 'ModeApply' | 'Approved' | 'WaitsForApproval' | 'ApprovalExpired';
  readonly message: string;
}

/**
 * A plan is carried out when every workload of its group says mode Apply and no service dips, or when an approval names this
 * very plan in this very state. Consent once acted upon is kept in the plan's phase.
 */
export function findConsent(plan: SharingPlan, group: WorkloadGroup, approvals: readonly PlanApproval[]): Consent {
  const { name } = plan.metadata;
  const named = approvals.filter(({ spec }) => spec.sharingPlan === name);
  const valid = named.some(({ spec }) => spec.planId === plan.spec.planId && spec.stateHash === plan.spec.stateHash);
  if (valid) return { given: true, reason: 'Approved', message: 'An approval names this plan.' };
  const dips = plan.spec.dips ?? [];
  const planOnly = group.workloads.filter(({ object }) => object.spec.mode === 'Plan').map((one) => `${one.namespace}/${one.name}`);
  if (dips.length === 0 && planOnly.length === 0) return { given: true, reason: 'ModeApply', message: 'Every workload has mode Apply.' };
  const dip = dips.map(({ service, rps, seconds }) => `${service} misses ${round(rps)} rps for ${round(seconds)} s`).join(', ');
  const because = dips.length > 0 ? `services fall below their demand on the way (${dip})` : `mode Plan of ${planOnly.join(', ')}`;
  const how = `Approve with: inlay approve ${name}`;
  if (named.length > 0) return { given: false, reason: 'ApprovalExpired', message: `An approval is for another plan or state. ${how}` };
  return { given: false, reason: 'WaitsForApproval', message: `Waits for an approval: ${because}. ${how}` };
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}
