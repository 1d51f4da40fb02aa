import type { GroupFacts } from '../decide/decide.js';

/** A step whose effect was seen. */
export interface TimedStep {
  readonly kind: string;
  readonly seconds: number;
}

/** What is remembered of the plan that a group is at. */
interface PlanTimes {
  readonly plan: string;
  /** When it was last looked at, ms. */
  lastMs: number;
  /** Since when steps could run, by id, ms. */
  readonly since: Map<string, number>;
  readonly told: Set<string>;
}

/**
 * Times the steps of plans from look to look: each step once, from when it could run to when its effect was seen. One that could not
 * run yet at the look before this took at most the time between the two, and counts with that. What was done of a plan before this
 * process first looked at it is not timed: nobody knows since when it could run.
 */
export function createStepTimes(): (groups: readonly GroupFacts[], nowMs: number) => readonly TimedStep[] {
  const known = new Map<string, PlanTimes>();
  return (groups, nowMs) => {
    const names = new Set(groups.map(({ name }) => name));
    for (const name of known.keys()) if (!names.has(name)) known.delete(name);
    return groups.flatMap((facts) => timeGroup(facts, known, nowMs));
  };
}

function timeGroup({ name, plan, work }: GroupFacts, known: Map<string, PlanTimes>, nowMs: number): readonly TimedStep[] {
  if (plan === undefined || work === undefined) {
    known.delete(name);
    return [];
  }
  const { done, enabled } = work.progress;
  const id = plan.metadata.uid ?? plan.metadata.name;
  const times = known.get(name)?.plan === id ? (known.get(name) as PlanTimes) : begin(id, plan, done, nowMs);
  known.set(name, times);
  const timed = work.transition.steps.flatMap((step): TimedStep[] => {
    if (!done.has(step.id) || times.told.has(step.id)) return [];
    times.told.add(step.id);
    return [{ kind: step.kind, seconds: Math.max(0, nowMs - (times.since.get(step.id) ?? times.lastMs)) / 1000 }];
  });
  for (const step of enabled) if (!done.has(step.id) && !times.since.has(step.id)) times.since.set(step.id, nowMs);
  times.lastMs = nowMs;
  return timed;
}

function begin(id: string, { metadata, status }: NonNullable<GroupFacts['plan']>, done: ReadonlySet<string>, nowMs: number): PlanTimes {
  const isNew = status?.phase === undefined;
  const isUnderWay = !isNew && status.phase !== 'Proposed';
  const createdMs = Date.parse(metadata.creationTimestamp ?? '');
  const lastMs = isNew && !Number.isNaN(createdMs) ? Math.min(nowMs, createdMs) : nowMs;
  return { plan: id, lastMs, since: new Map(), told: new Set(isUnderWay ? done : []) };
}
