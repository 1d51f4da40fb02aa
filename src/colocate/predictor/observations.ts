import type { MeasuredGroup, MeasuredWorkload } from '../measured-workload.js';

/** A member of a group, among others. */
export interface Place {
  /** Index of the member among the workloads. */
  readonly member: number;
  /** Indices of the other members; the member's own where it runs more than once. */
  readonly others: readonly number[];
}

/** One distinct member of a measured group: what it kept of its exclusive rate among the others. */
export interface Observation extends Place {
  /** Logarithm of its rate in the group over its exclusive rate; the mean over identical members. */
  readonly logShare: number;
}

/** The observations of all groups, in their order; members are found by name in `workloads`. */
export function observeGroups(groups: readonly MeasuredGroup[], workloads: readonly MeasuredWorkload[]): Observation[] {
  const indices = new Map(workloads.map(({ name }, index) => [name, index]));
  return groups.flatMap(({ members, rates }) => {
    const group = members.map((name) => indices.get(name) as number);
    return placesOf(group).map((place) => {
      const { exclusiveRate } = workloads[place.member] as MeasuredWorkload;
      const own = rates.filter((_, k) => group[k] === place.member).map((rate) => Math.log(rate / exclusiveRate));
      return { ...place, logShare: own.reduce((sum, value) => sum + value, 0) / own.length };
    });
  });
}

/** The places of a group: one for each distinct member. */
export function placesOf(group: readonly number[]): readonly Place[] {
  return [...new Set(group)].map((member) => ({ member, others: group.toSpliced(group.indexOf(member), 1) }));
}

/** Calls back with each distinct member of a group and the others, always in the same order, so that sums over them are the same. */
export function eachDistinct(
  members: readonly MeasuredWorkload[],
  visit: (member: MeasuredWorkload, others: readonly MeasuredWorkload[]) => void,
): void {
  const sorted = members.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  sorted.forEach((member, place) => {
    if (place === 0 || sorted[place - 1]?.name !== member.name) visit(member, sorted.toSpliced(place, 1));
  });
}
