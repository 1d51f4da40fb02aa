import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aPool, aRow, aService, aWorkload } from '../demand/demand.fixture.js';
import { createInlineSolver } from '../solver/highs/highs-solver.js';
import { chooseTarget } from './choose-target.js';
import { solveAim } from './search-target.js';
import { countPodStarts } from './target-counts.js';
import { changes, stateOf } from './transition.fixture.js';

const a100 = aPool({}, ['1g.10gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb']);

test('services whose plans are not listed come to as many pod starts as those whose plans are', async () => {
  const solver = await createInlineSolver();
  await fc.assert(
    fc.asyncProperty(changes([a100], 3), fc.subarray([0, 1, 2]), async ({ before, after }, left) => {
      const chosen = await chooseTarget(await stateOf(before), after, { solver });
      if (chosen.kind !== 'target') return;
      const { problem, budget, found } = chosen;
      const open = new Set(left.filter((i) => problem.services[i] !== undefined));
      const list = { plans: found.list.plans.filter(({ service }) => !open.has(service)), open };
      const { counts } = await solveAim(problem, budget, list, { kind: 'pod-starts' }, { maxNodes: 1e5, absoluteGap: 0.5 }, solver);
      expect(counts && countPodStarts(problem, counts)).toBe(found.podStarts.achieved);
    }),
    { seed: 8, numRuns: 6 },
  );
});

test('the fewest pod starts are proven where services have more plans than can be listed', async () => {
  const solver = await createInlineSolver();
  const throughput = { '1g.10gb': 31, '2g.20gb': 64, '3g.40gb': 93, '4g.40gb': 125, '7g.80gb': 220 };
  const rows = ['a', 'b', 'c'].flatMap((model, m) =>
    Object.entries(throughput).map(([profile, rps], p) => aRow({ model, profile, throughputRps: rps + 3 * m * p + 2 * m })),
  );
  const services = ['a', 'b', 'c'].map((name, m) =>
    aService({ name, model: name, rateRps: 1201 + 211 * m, latencyMs: 1e6, latency: { kind: 'factor', factor: 1 } }),
  );
  const before = aWorkload({ pools: [a100], rows, services });
  const factors = [1.31, 0.77, 1.19];
  const after = { ...before, services: services.map((service, m) => ({ ...service, rateRps: service.rateRps * (factors[m] ?? 1) })) };
  const chosen = await chooseTarget(await stateOf(before), after, { solver });
  if (chosen.kind !== 'target') throw new Error('no target');
  const { podStarts, list } = chosen.found;
  expect(list.open.size).toBe(3);
  expect(podStarts.achieved).toBe(podStarts.limit);
});
