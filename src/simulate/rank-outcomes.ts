import type { ServiceOutcome, Verdict } from './service-outcome.js';

const rank: Readonly<Record<Verdict, number>> = { misses: 1, unsettled: 2, meets: 3 };

/** Outcomes with the worst first: overloaded, missing by most, not settled, then by how near the percentile comes to the limit. */
export function rankOutcomes(outcomes: readonly ServiceOutcome[]): readonly ServiceOutcome[] {
  return outcomes.toSorted((a, b) => rankOf(a) - rankOf(b) || closeness(b) - closeness(a));
}

function rankOf(outcome: ServiceOutcome): number {
  return outcome.kind === 'overloaded' ? 0 : rank[outcome.verdict];
}

function closeness(outcome: ServiceOutcome): number {
  return outcome.kind === 'overloaded' ? outcome.load : outcome.percentileMs.value / outcome.limitMs;
}

/** Share of all requests that are within their limits, each service weighted by its rate; those that are overloaded or not settled count as late. */
export function shareInTime(outcomes: readonly ServiceOutcome[]): number {
  const total = outcomes.reduce((sum, { rateRps }) => sum + rateRps, 0);
  const inTime = outcomes.reduce((sum, outcome) => sum + (isKnown(outcome) ? outcome.rateRps * outcome.within.value : 0), 0);
  return total === 0 ? 1 : inTime / total;
}

function isKnown(outcome: ServiceOutcome): outcome is Extract<ServiceOutcome, { kind: 'measured' }> {
  return outcome.kind === 'measured' && outcome.verdict !== 'unsettled';
}
