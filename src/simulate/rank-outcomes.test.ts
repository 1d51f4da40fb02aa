import { expect, it } from 'vitest';
import { rankOutcomes, shareInTime } from './rank-outcomes.js';
import type { ServiceOutcome, Verdict } from './service-outcome.js';

const measured = (name: string, verdict: Verdict, percentileMs: number, within = 1, rateRps = 1): ServiceOutcome =>
  ({
    kind: 'measured',
    name,
    verdict,
    limitMs: 100,
    rateRps,
    percentileMs: { value: percentileMs },
    within: { value: within },
  }) as ServiceOutcome;
const overloaded = { kind: 'overloaded', name: 'full', verdict: 'misses', load: 1.2, rateRps: 2 } as ServiceOutcome;

it('ranks the worst first', () => {
  const outcomes = [
    measured('fine', 'meets', 20),
    measured('near', 'meets', 99),
    measured('short', 'unsettled', 10),
    measured('late', 'misses', 300),
    measured('just', 'misses', 101),
    overloaded,
  ];
  expect(rankOutcomes(outcomes).map(({ name }) => name)).toEqual(['full', 'late', 'just', 'short', 'near', 'fine']);
});

it('weighs shares by rate and counts what is not known as late', () => {
  expect(shareInTime([measured('a', 'meets', 1, 1, 3), measured('b', 'misses', 1, 0.5, 1)])).toBe(0.875);
  expect(shareInTime([measured('a', 'meets', 1, 1, 2), overloaded])).toBe(0.5);
  expect(shareInTime([])).toBe(1);
});
