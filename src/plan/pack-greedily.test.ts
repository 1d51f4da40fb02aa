import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packGreedily } from './pack-greedily.js';
import type { PackingProblem } from './packing-problem.js';

/** One pool of A30-like GPUs: 4 | 2+2 | 2+1+1 | 1×4. */
const problem: PackingProblem = {
  serviceCount: 1,
  sizeCount: 3,
  throughput: new Float64Array(3),
  demand: new Float64Array(1),
  minCount: new Int32Array(1),
  pools: [{ cost: 2, limit: 5 }],
  poolOfSize: new Int32Array(3),
  segments: [
    {
      pool: 0,
      limit: 5,
      layouts: [
        [0, 0, 1],
        [0, 2, 0],
        [2, 1, 0],
        [4, 0, 0],
      ].map((counts) => Int32Array.from(counts)),
    },
  ],
  minGpus: 0,
};

test('every instance finds a slot, and GPUs beyond the limit are counted', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 3, maxLength: 3 }), (counts) => {
      const packing = packGreedily(problem, Int32Array.from(counts));
      const [gpus = new Int32Array()] = packing.gpus;
      const layouts = problem.segments[0]?.layouts ?? [];
      for (const [k, count] of counts.entries()) {
        const slots = layouts.reduce((sum, layout, p) => sum + (layout[k] as number) * (gpus[p] as number), 0);
        expect(slots).toBeGreaterThanOrEqual(count);
      }
      const used = gpus.reduce((sum, count) => sum + count, 0);
      expect(packing.cost).toBe(2 * used);
      expect(packing.excess).toBe(Math.max(0, used - 5));
      const slices = (counts[0] as number) + 2 * (counts[1] as number) + 4 * (counts[2] as number);
      expect(used).toBe(Math.ceil(slices / 4));
    }),
    { seed: 2, numRuns: 200 },
  );
});
