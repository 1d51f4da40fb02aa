import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aPool } from '../demand/demand.fixture.js';
import type { Pool, Workload } from '../demand/workload.js';
import { aSmallPool } from '../plan/plan.fixture.js';
import { shortestOrderByForce } from './shortest-order.fixture.js';
import { changes, stateOf, transitHere } from './transition.fixture.js';

const a100 = aPool({}, ['1g.10gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb']);

/** Seconds that an order may take above the shortest with as many temporary pods: which place is given up last is left to chance. */
const aboveShortestS = 0.7;
/** An order with fewer pod starts is taken where a temporary pod more would only save the stop before the first wave. */
const savedByTemporaryPodS = 5;
/** A temporary pod, a stop that waits for it and the start that waits for that take this long: shorter orders gain nothing by one. */
const leastWithTemporaryPodS = 65;

/** Services trade what they ask for, as shares of their largest throughput: many pods change, and floors matter. */
function trades(pool: Pool): fc.Arbitrary<{ readonly before: Workload; readonly after: Workload }> {
  const factor = fc.double({ min: 0.75, max: 1.45, noNaN: true });
  return fc.tuple(changes([pool], 4, 0.75), fc.array(factor, { minLength: 4, maxLength: 4 })).map(([{ before }, factors]) => {
    const { services, rows } = before;
    const largest = services.map(({ model }) =>
      Math.max(...rows.filter((row) => row.model === model).map(({ throughputRps }) => throughputRps)),
    );
    const after = services.map((service, i) => {
      const n = (i + 1) % services.length;
      const share = ((services[n]?.rateRps ?? 0) / (largest[n] as number)) * (factors[i] as number);
      return { ...service, rateRps: Math.round(Math.min(1, share) * (largest[i] as number) * 100) / 100 };
    });
    return { before, after: { ...before, services: after } };
  });
}

test.each([
  ['A30', aSmallPool(), 80],
  ['A100', a100, 80],
] as const)('on tiny %s cases no order is shorter: every set of steps at every moment was tried', async (_, pool, numRuns) => {
  const compared = { all: 0, inTurns: 0 };
  await fc.assert(
    fc.asyncProperty(trades(pool), fc.integer({ min: 0, max: 1 }), async ({ before, after }, maxExtraGpus) => {
      const state = await stateOf(before);
      if (state.gpus.length > 3) return;
      const result = await transitHere(state, after, { maxExtraGpus });
      if (result.kind === 'infeasible' || result.transition.target.gpus.length > 3) return;
      const { transition } = result;
      const { makespanS, counts } = transition;
      if (counts.podStarts === 0 || counts.temporaryPods > 1) return;
      const limits = { temporaryPods: counts.temporaryPods, mostBranches: 100_000, withinS: makespanS };
      const shortest = shortestOrderByForce(state, transition, after, limits);
      if (shortest === undefined) return;
      compared.all++;
      // Infinity would mean that the planner claims less than is possible.
      expect(shortest).toBeLessThanOrEqual(makespanS);
      expect(makespanS - shortest).toBeLessThanOrEqual(aboveShortestS + 1e-6);
      if (makespanS <= leastWithTemporaryPodS || counts.temporaryPods > 0) return;
      compared.inTurns++;
      const other = shortestOrderByForce(state, transition, after, { ...limits, temporaryPods: 1 });
      if (other !== undefined) expect(makespanS - other).toBeLessThanOrEqual(savedByTemporaryPodS + 1e-6);
    }),
    { seed: 14, numRuns },
  );
  expect(compared.all).toBeGreaterThan(10);
  expect(compared.inTurns).toBeGreaterThan(1);
});
