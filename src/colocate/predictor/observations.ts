import type { MeasuredGroup, MeasuredWorkload } from '../measured-workload.js';

/** One distinct member of a measured group: what it kept of its exclusive rate among the others. */
export interface Observation {
  /** Index of the member among the workloads. */
  readonly member: number;
  /** Indices of the other members; the member's own where it runs more than once. */
  readonly others: readonly number[];
  /** Logarithm of its rate in the group over its exclusive rate; the mean over identical members. */
  readonly logShare: number;
}

/** The observations of all groups, in their order; members are found by name in `workloads`. */
export function observeGroups(groups: readonly MeasuredGroup[], workloads: readonly MeasuredWorkload[]): Observation[] {
  const indices = new Map(workloads.map(({ name }, index) => [name, index]));
  return groups.flatMap(({ members, rates }) => {
    const places = members.map((name) => indices.get(name) as number);
    return [...new Set(places)].map((member) => {
      const { exclusiveRate } = workloads[member] as MeasuredWorkload;
      const own = rates.filter((_, place) => places[place] === member).map((rate) => Math.log(rate / exclusiveRate));
      const first = places.indexOf(member);
      return {
        member,
        others: places.filter((_, place) => place !== first),
        logShare: own.reduce((sum, value) => sum + value, 0) / own.length,
      };
    });
  });
}
