import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { a100Pool, syntheticPlan, t4Pool } from '../synthetic-plan.fixture.js';
import { foldGpus } from './fold-gpus.js';

describe('foldGpus', () => {
  it('keeps every GPU once, in its pool, whatever folds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 999 }),
        (gpus, services, seed) => {
          const plan = syntheticPlan({ gpus, services, seed, pools: [a100Pool, t4Pool] });
          for (const { pool, count, folded } of foldGpus(plan.gpus)) {
            const own = plan.gpus.filter((gpu) => gpu.pool === pool).map(({ id }) => id);
            expect(count).toBe(own.length);
            expect(folded.flatMap(({ ids }) => ids).sort()).toEqual(own.sort());
          }
          expect(foldGpus(plan.gpus).reduce((sum, { count }) => sum + count, 0)).toBe(gpus);
        },
      ),
      { seed: 13, numRuns: 50 },
    );
  });

  it('folds equal GPUs and keeps apart those that others use', () => {
    const [gpu] = syntheticPlan({ gpus: 1, services: 1 }).gpus as [ReturnType<typeof syntheticPlan>['gpus'][number]];
    const occupied = [{ profile: '1g.10gb', start: 6 }];
    const folded = foldGpus([gpu, { ...gpu, id: 'b' }, { ...gpu, id: 'c', occupied }])[0]?.folded;
    expect(folded?.map(({ ids }) => ids)).toEqual([[gpu.id, 'b'], ['c']]);
  });
});
