import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Workload } from '../demand/workload.js';
import { aSmallPool } from '../plan/plan.fixture.js';
import { createInlineSolver } from '../solver/highs/highs-solver.js';
import { bindTarget } from './bind-target.js';
import { fewestStartsByForce } from './brute-force.fixture.js';
import { chooseTarget } from './choose-target.js';
import { backends, changes, stateOf } from './transition.fixture.js';

test('pod starts are proven and equal to trying every target, at the fewest GPUs and above', async () => {
  const solver = await createInlineSolver();
  await fc.assert(
    fc.asyncProperty(changes([aSmallPool()], 3, 0.7), fc.integer({ min: 0, max: 1 }), async ({ before, after }, above) => {
      const state = await stateOf(before);
      if (state.gpus.length > 3) return;
      const chosen = await chooseTarget(state, after, { solver, above });
      if (chosen.kind !== 'target' || chosen.budget > 3) return;
      const { achieved, limit } = chosen.found.podStarts;
      expect(achieved).toBe(limit);
      expect(achieved).toBe(fewestStartsByForce(state, after, chosen.budget));
    }),
    { seed: 6, numRuns: 15 },
  );
});

test.each(backends)('replicas are on different GPUs under %s, with as few pod starts as trying every target', async (backend) => {
  const solver = await createInlineSolver();
  await fc.assert(
    fc.asyncProperty(changes([aSmallPool()], 3, 0.7, 3), async ({ before, after }) => {
      const state = await stateOf(before);
      if (state.gpus.length > 3) return;
      const chosen = await chooseTarget(state, after, { solver, backend });
      if (chosen.kind !== 'target' || chosen.budget > 3) return;
      const target = bindTarget(chosen.problem, chosen.found.counts);
      expect(target.crowded).toEqual([]);
      const { achieved, limit } = chosen.found.podStarts;
      expect(achieved).toBe(limit);
      const fewest = fewestStartsByForce(state, after, chosen.budget);
      if (backend === 'instance') expect(achieved).toBe(fewest);
      else expect(achieved).toBeGreaterThanOrEqual(fewest);
    }),
    { seed: 7, numRuns: 8 },
  );
});

test('a workload of millions of instances is refused instead of being matched one by one', async () => {
  const solver = await createInlineSolver();
  const [{ before }] = fc.sample(changes([aSmallPool()], 1, 0.7), { seed: 6, numRuns: 1 }) as [
    { readonly before: Workload; readonly after: Workload },
  ];
  const after = { ...before, services: before.services.map((service) => ({ ...service, rateRps: 1e9 })) };
  await expect(chooseTarget(await stateOf(before), after, { solver })).rejects.toMatchObject({ code: 'TOO_MANY' });
});
