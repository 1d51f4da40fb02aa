import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aPool } from '../demand/demand.fixture.js';
import { createInlineSolver } from '../solver/highs/highs-solver.js';
import { verifyPlan } from '../verify/verify-plan.js';
import { planOnto } from './plan-onto.js';
import { changes, stateOf, transitSoundly } from './transition.fixture.js';

test('a plan onto what runs verifies, has the fewest GPUs, and names those of the state', async () => {
  const solver = await createInlineSolver();
  const pool = aPool({}, ['1g.10gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb']);
  await fc.assert(
    fc.asyncProperty(changes([pool]), async ({ before, after }) => {
      const state = await stateOf(before);
      const result = await planOnto(state, after, { solver });
      if (result.kind !== 'plan') throw new Error('no plan');
      expect(verifyPlan(after, result.plan, { current: state }).checks.flatMap(({ violations }) => violations)).toEqual([]);
      expect(result.plan.gapGpus).toBeLessThanOrEqual(1);
      const known = new Set(state.gpus.map(({ id }) => id));
      const kept = result.plan.gpus.filter(({ id }) => known.has(id)).length;
      expect(kept).toBeGreaterThan(0);
      const steps = await transitSoundly(state, after, { maxExtraGpus: 4 });
      expect(result.plan.change?.podStarts).toEqual(steps.bounds.podStarts);
    }),
    { seed: 8, numRuns: 10 },
  );
});
