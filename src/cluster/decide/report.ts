import type { Conflict } from '../../demand/conflict.js';
import type { Problem } from '../../errors.js';
import type { Condition, KubeObject } from '../client/object-types.js';
import type { Resource } from '../client/resources.js';
import { type ConditionDraft, setConditions } from '../objects/conditions.js';
import { inferenceWorkloads, sharingPlans } from '../objects/kinds.js';
import { describeSize, type SharingPlan } from '../objects/sharing-plan.js';
import type { Consent } from './approve.js';
import type { PlanWork } from './carry-out.js';
import type { ReadWorkload } from './read-workloads.js';
import type { Write } from './write.js';

interface WithStatus extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** A status write, unless the object says so already. Conditions keep their times while they keep their status. */
export function writeStatus<T extends WithStatus>(
  resource: Resource<T>,
  object: T,
  status: object,
  drafts: readonly ConditionDraft[],
  at: string,
): Write[] {
  const { name, namespace, generation = 0, uid } = object.metadata;
  const conditions = setConditions(object.status?.conditions, drafts, generation, at);
  const wanted = { ...status, conditions };
  const current = object.status ?? {};
  const same = Object.entries(wanted).every(
    ([key, value]) => JSON.stringify(Reflect.get(current, key)) === JSON.stringify(value) || equal(Reflect.get(current, key), value),
  );
  if (same) return [];
  return [
    {
      kind: 'patch',
      subresource: 'status',
      resource,
      where: { name, ...(namespace !== undefined && { namespace }) },
      body: { metadata: { uid }, status: wanted },
      why: 'its status has changed',
    },
  ];
}

/** The server may order keys in its own way. */
function equal(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const [x, y] = [Object.entries(a), Object.entries(b)].map((list) => list.filter(([, value]) => value !== undefined)) as [
    [string, unknown][],
    [string, unknown][],
  ];
  return x.length === y.length && x.every(([key, value]) => equal(value, Reflect.get(b, key)));
}

const describe = ({ code, message, expected, received, hint }: Problem): string =>
  [`${code}: ${message}`, expected && `Expected ${expected}${received ? `, received ${received}` : ''}.`, hint]
    .filter((part) => part)
    .join(' ');

const describeConflict = ({ code, service, message, hint }: Conflict): string =>
  [`${code}: ${service === undefined || message.includes(service) ? '' : `${service}: `}${message}.`, hint]
    .filter((part) => part)
    .join(' ');

/** Everything that the status of a workload says. */
export interface WorkloadFacts {
  readonly workload: ReadWorkload;
  readonly plan?: SharingPlan | undefined;
  readonly proposed?: SharingPlan | undefined;
  readonly consent?: Consent | undefined;
  readonly work?: PlanWork | undefined;
  readonly conflicts: readonly Conflict[];
  /** Why the plan stays although the demand has changed. */
  readonly kept?: string | undefined;
  /** What hinders it without stopping it, in sentences. */
  readonly hindrances: readonly string[];
  /** Why pods of it do not come to be, in sentences. */
  readonly troubles?: readonly string[];
  /** Services that an even split over their pods overloads. */
  readonly uneven?: readonly string[];
  readyRps(service: string): number;
}

/** The status of a workload: conditions with reasons, and demand against ready throughput, service by service. */
export function reportWorkload(facts: WorkloadFacts, at: string): Write[] {
  const { workload, plan, proposed, consent, work, conflicts, kept, hindrances, troubles = [], uneven = [], readyRps } = facts;
  const { object, problems } = workload;
  const planned = new Map(plan?.spec.services.map((service) => [service.key, service.plannedRps]));
  const services = object.spec.services.map(({ name, rateRps }) => {
    const key = `${workload.namespace}.${workload.name}.${name}`;
    return { name, rateRps, readyRps: round(readyRps(key)), plannedRps: round(planned.get(key) ?? 0) };
  });
  const met = services.filter((service) => service.readyRps >= service.rateRps * (1 - 1e-6)).length;
  const shown = proposed ?? plan;
  const invalid = problems.length > 0;
  const failures = work?.failures ?? [];
  const condition = (type: ConditionDraft['type'], status: boolean, reason: string, message: string): ConditionDraft => ({
    type,
    status,
    reason,
    message,
  });
  const short = services.filter((service) => service.readyRps < service.rateRps * (1 - 1e-6)).map((one) => one.name);
  const drafts = [
    condition(
      'Planned',
      shown !== undefined && !invalid,
      shown === undefined ? 'NoPlan' : kept === undefined ? 'PlanFound' : 'KeptByHysteresis',
      kept ?? (shown === undefined ? 'There is no plan yet.' : `${describeSize(shown.spec)}.`),
    ),
    condition('Approved', consent?.given === true, consent?.reason ?? 'NoPlan', consent?.message ?? 'There is no plan yet.'),
    condition(
      'Progressing',
      work !== undefined && !work.isReady,
      work === undefined || work.isReady ? 'Idle' : work.handedOver === undefined ? 'CarryingOut' : 'WaitsForPerson',
      work === undefined || work.isReady
        ? 'No step is under way.'
        : `${work.progress.done.size} of ${plan?.status?.steps?.total ?? 0} steps are done.${work.handedOver === undefined ? '' : ` The next are for a person: ${work.handedOver} says how.`}`,
    ),
    condition(
      'Ready',
      met === services.length && !invalid,
      met === services.length ? 'DemandMet' : 'DemandNotMet',
      met === services.length
        ? 'Ready pods meet the demand of every service.'
        : `Ready pods do not meet the demand of ${short.join(', ')}.`,
    ),
    condition(
      'Degraded',
      troubles.length + hindrances.length + uneven.length > 0,
      troubles.length > 0 ? 'PodsHindered' : hindrances.length > 0 ? 'NodeProblems' : uneven.length > 0 ? 'UnevenSlices' : 'AsPlanned',
      [...troubles, ...hindrances, ...uneven].join(' ') || 'Nothing is known to be wrong.',
    ),
    condition(
      'Stuck',
      failures.length > 0,
      failures[0]?.code ?? 'NotStuck',
      failures.map(describe).join(' ') || 'No step has failed for good.',
    ),
    condition(
      'Infeasible',
      conflicts.length > 0,
      conflicts[0]?.code ?? 'Feasible',
      conflicts.map(describeConflict).join(' ') || 'The demand can be met.',
    ),
    condition('Invalid', invalid, problems[0]?.code ?? 'Valid', problems.map(describe).join(' ') || 'The object says what can be planned.'),
  ];
  const status = {
    observedGeneration: object.metadata.generation ?? 0,
    ...(shown && { sharingPlan: shown.metadata.name, gpus: shown.spec.gpus, bound: shown.spec.bound }),
    ready: `${met}/${services.length}`,
    capacity: describeCapacity(services),
    services,
  };
  return writeStatus(inferenceWorkloads, object, status, drafts, at);
}

/** The worst-off service's ready throughput in per cent of its demand, rounded down; a dash where nothing is demanded. */
function describeCapacity(services: readonly { readonly rateRps: number; readonly readyRps: number }[]): string {
  const shares = services.filter(({ rateRps }) => rateRps > 0).map(({ rateRps, readyRps }) => readyRps / rateRps);
  return shares.length === 0 ? '-' : `${Math.floor(100 * (Math.min(...shares) + 1e-6))}%`;
}

/** The status of a plan: phase, progress step by step, and whether it is stuck. */
export function reportPlan(
  plan: SharingPlan,
  work: PlanWork | undefined,
  consent: Consent | undefined,
  total: number,
  at: string,
): Write[] {
  const failures = work?.failures ?? [];
  const phase = work === undefined ? 'Proposed' : work.isReady ? 'Ready' : 'Applying';
  const running =
    work === undefined ? [] : [...work.running].filter(([id]) => !work.progress.done.has(id)).map(([id, what]) => `${id}: ${what}`);
  const drafts: ConditionDraft[] = [
    {
      type: 'Approved',
      status: consent?.given ?? work !== undefined,
      reason: consent?.reason ?? 'Approved',
      message: consent?.message ?? 'It was approved.',
    },
    {
      type: 'Stuck',
      status: failures.length > 0,
      reason: failures[0]?.code ?? 'NotStuck',
      message: failures.map(describe).join(' ') || 'No step has failed for good.',
    },
  ];
  const status = {
    phase,
    steps: { total, done: work?.progress.done.size ?? 0, running: running.slice(0, 50) },
    ...(work && { doneSteps: [...work.progress.done].sort() }),
  };
  return writeStatus(sharingPlans, plan, status, drafts, at);
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
