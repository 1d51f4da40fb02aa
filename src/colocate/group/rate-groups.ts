import type { InterferenceModel } from '../documents/interference-model.js';
import type { MeasuredWorkload } from '../measured-workload.js';
import type { InterferencePredictor } from '../predictor/interference-predictor.js';

/**
 * What a plan counts on: the predicted mean, a rate that is met nine times out of ten (against the winner's curse: a planner
 * picks the groups whose numbers err upward), or nothing but what was measured.
 */
export type GroupRisk = 'mean' | 'pessimistic' | 'measured';

/** What each member of a group is counted on to keep of its exclusive rate. */
export interface RatedGroup {
  readonly shares: readonly number[];
  /** Whether this very group was measured. A group of one always is. */
  readonly measured: boolean;
}

/** Answers for a group, in the order of its members; undefined where the risk does not allow to count on it. */
export type GroupRater = (members: readonly MeasuredWorkload[]) => RatedGroup | undefined;

/** Makes a rater that remembers its answers. Measured groups count as measured, the mean where repeated, under every risk. */
export function createGroupRater(model: InterferenceModel, predictor: InterferencePredictor, risk: GroupRisk): GroupRater {
  const measured = new Map<string, Map<string, number>[]>();
  for (const { members, rates } of model.training.groups) {
    const byName = new Map<string, number>();
    const counts = new Map<string, number>();
    members.forEach((name, place) => {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      byName.set(name, (byName.get(name) ?? 0) + ((rates[place] as number) - (byName.get(name) ?? 0)) / count);
    });
    const key = groupKey(members);
    measured.set(key, [...(measured.get(key) ?? []), byName]);
  }
  const known = new Map<string, ReadonlyMap<string, number> | undefined>();

  function rate(members: readonly MeasuredWorkload[], key: string): ReadonlyMap<string, number> | undefined {
    const runs = measured.get(key);
    if (runs !== undefined) {
      return new Map(
        members.map(({ name, exclusiveRate }) => {
          const mean = runs.reduce((sum, run) => sum + (run.get(name) as number), 0) / runs.length;
          return [name, mean / exclusiveRate];
        }),
      );
    }
    if (risk === 'measured' && members.length > 1) return undefined;
    const predicted = predictor.predict(members);
    const shares = predicted.map(({ throughput, cautious }, k) => {
      const { exclusiveRate } = members[k] as MeasuredWorkload;
      return (risk === 'pessimistic' ? cautious : throughput) / exclusiveRate;
    });
    return new Map(members.map(({ name }, k) => [name, shares[k] as number]));
  }

  return (members) => {
    const key = groupKey(members.map(({ name }) => name));
    if (!known.has(key)) known.set(key, rate(members, key));
    const shares = known.get(key);
    return shares && { shares: members.map(({ name }) => shares.get(name) as number), measured: members.length === 1 || measured.has(key) };
  };
}

/** The same text for the same members in any order. */
export function groupKey(members: readonly string[]): string {
  return members.toSorted().join('\n');
}
