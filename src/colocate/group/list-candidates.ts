import { inlayError } from '../../errors.js';
import type { JobTypes } from './job-types.js';
import type { GroupRater } from './rate-groups.js';

/** A group that may share one GPU. */
export interface Candidate {
  /** Indices of the types of its members, ascending; one may repeat. */
  readonly members: readonly number[];
  readonly shares: readonly number[];
  readonly measured: boolean;
  /** Sum of weight × share. */
  readonly value: number;
  readonly leastShare: number;
}

/** What a candidate must keep to. */
export interface CandidateLimits {
  readonly maxGroup: number;
  readonly memoryGiB: number;
}

/** More candidates than this are not looked at. */
const mostCandidates = 1_000_000;

/** Every group that fits into memory, keeps apart what must be, and slows no member beyond its limit. */
export function listCandidates({ types, apart }: JobTypes, rate: GroupRater, limits: CandidateLimits): readonly Candidate[] {
  const candidates: Candidate[] = [];
  const members: number[] = [];
  const used = types.map(() => 0);

  function extend(from: number, memoryLeft: number): void {
    if (members.length > 0) consider();
    if (members.length === limits.maxGroup) return;
    for (let next = from; next < types.length; next++) {
      const { workload, jobs } = types[next] as (typeof types)[number];
      if (workload.memoryGiB > memoryLeft + 1e-9 || (used[next] as number) >= jobs.length) continue;
      if (members.some((member) => apart[member]?.[next] === true)) continue;
      members.push(next);
      (used[next] as number)++;
      extend(next, memoryLeft - workload.memoryGiB);
      (used[next] as number)--;
      members.pop();
    }
  }

  function consider(): void {
    const chosen = members.map((member) => types[member] as (typeof types)[number]);
    const rated = rate(chosen.map(({ workload }) => workload));
    if (rated === undefined) return;
    // A job alone is as fast as it can be: no limit forbids that.
    if (chosen.length > 1 && chosen.some(({ maxSlowdown }, k) => 1 / (rated.shares[k] as number) > maxSlowdown * (1 + 1e-9))) return;
    if (candidates.length === mostCandidates) throw tooMany(limits.maxGroup, types.length);
    const { shares, measured } = rated;
    const value = chosen.reduce((sum, { weight }, k) => sum + weight * (shares[k] as number), 0);
    candidates.push({ shares, measured, members: [...members], value, leastShare: Math.min(1, ...shares) });
  }

  extend(0, limits.memoryGiB);
  return candidates;
}

function tooMany(maxGroup: number, types: number) {
  return inlayError('TOO_MANY', {
    message: `${types} different jobs can form too many groups of up to ${maxGroup}.`,
    expected: `at most ${mostCandidates} possible groups`,
    hint: 'Use a smaller --max-group, or give alike jobs the same limits, weights and labels.',
  });
}
