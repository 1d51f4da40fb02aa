import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPointFinder } from '../demand/operating-points.js';
import type { Workload } from '../demand/workload.js';
import { createInlineSolver } from '../solver/highs/highs-solver.js';
import { findLeastCost } from './brute-force.fixture.js';
import { buildProblem } from './build-problem.js';
import { findHeldGpus } from './held-gpus.js';
import { listCuts } from './list-cuts.js';
import type { PackingProblem } from './packing-problem.js';
import { aSmallPool, workloads } from './plan.fixture.js';
import { findSlicePrices, fitPrices } from './slice-prices.js';

const solver = createInlineSolver();
const runs = { seed: 3, numRuns: 40 } as const;

function problemOf(workload: Workload): PackingProblem {
  const finder = createPointFinder(workload);
  const cuts = listCuts(workload, finder.index.sizes, findHeldGpus(workload, undefined));
  return buildProblem(
    workload,
    finder,
    cuts,
    'gpus',
    workload.services.map(() => 1),
  ).problem;
}

/** What the dearest layout of each pool is worth beyond what its GPU may cost; at most 0 for a certificate. */
function overpricing(problem: PackingProblem, size: Float64Array, pool: Float64Array): number {
  return Math.max(
    ...problem.segments.flatMap(({ layouts, pool: g }) =>
      layouts.map(
        (layout) =>
          layout.reduce((worth, count, k) => worth + count * (size[k] as number), 0) - (problem.pools[g]?.cost ?? 0) - (pool[g] as number),
      ),
    ),
  );
}

describe('slice prices', () => {
  test('price no layout above its GPU and prove no more than the least number of GPUs', async () => {
    await fc.assert(
      fc.asyncProperty(workloads({ services: 3, pools: [aSmallPool()], most: 0.9 }), async (workload) => {
        const problem = problemOf(workload);
        const { prices, value, ceiling } = await findSlicePrices(problem, await solver);
        expect(overpricing(problem, prices.size, prices.pool)).toBeLessThanOrEqual(1e-12);
        expect(value).toBeLessThanOrEqual((findLeastCost(workload, 3) ?? Number.POSITIVE_INFINITY) + 1e-9);
        expect(ceiling - value).toBeLessThanOrEqual(1e-6);
      }),
      runs,
    );
  });

  test('never prove less when a demand grows', async () => {
    await fc.assert(
      fc.asyncProperty(
        workloads({ services: 8, pools: [aSmallPool()], most: 4 }),
        fc.double({ min: 1, max: 2, noNaN: true }),
        async (workload, growth) => {
          const grown = { ...workload, services: workload.services.map((service) => ({ ...service, rateRps: service.rateRps * growth })) };
          const before = await findSlicePrices(problemOf(workload), await solver);
          const after = await findSlicePrices(problemOf(grown), await solver);
          expect(after.value).toBeGreaterThanOrEqual(before.value - 1e-6);
        },
      ),
      runs,
    );
  });

  test('are a valid certificate even when the search is stopped at once', async () => {
    const [workload] = fc.sample(workloads({ services: 8, pools: [aSmallPool()], most: 4 }), { seed: 1, numRuns: 1 });
    const problem = problemOf(workload as Workload);
    const { prices, value } = await findSlicePrices(problem, await solver, { signal: AbortSignal.abort('time') });
    const best = await findSlicePrices(problem, await solver);
    expect(overpricing(problem, prices.size, prices.pool)).toBeLessThanOrEqual(1e-12);
    expect(value).toBeGreaterThan(0);
    expect(value).toBeLessThanOrEqual(best.value + 1e-9);
  });
});

test('prices that are too high are lowered until every layout is affordable', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { minLength: 3, maxLength: 3 }), (drawn) => {
      const [workload] = fc.sample(workloads({ services: 1, pools: [aSmallPool()], most: 1 }), { seed: 1, numRuns: 1 });
      const problem = problemOf(workload as Workload);
      const fitted = fitPrices(problem, { size: Float64Array.from(drawn), pool: new Float64Array(1) });
      expect(overpricing(problem, fitted.size, fitted.pool)).toBeLessThanOrEqual(0);
    }),
    runs,
  );
});
