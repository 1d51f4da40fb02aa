import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundCheapestCover, type CoverSize } from './cheapest-cover.js';

/** Tries every choice of instances. */
function cheapestByTrial(sizes: readonly CoverSize[], rateRps: number, instances: number): number {
  const [first, ...rest] = sizes;
  if (first === undefined) return rateRps <= 0 && instances <= 0 ? 0 : Number.POSITIVE_INFINITY;
  const most = first.rps === 0 ? 0 : Math.max(Math.ceil(rateRps / first.rps), instances, 0);
  let best = Number.POSITIVE_INFINITY;
  for (let taken = 0; taken <= most; taken++) {
    best = Math.min(best, taken * first.price + cheapestByTrial(rest, rateRps - taken * first.rps, instances - taken));
  }
  return best;
}

const whole = (min: number, max: number) => fc.integer({ min, max });

describe('the cheapest cover', () => {
  it('equals trying every choice, with and without a number of instances to reach', () => {
    const size = fc.record({ price: whole(0, 30).map((n) => n / 7), rps: whole(0, 40) });
    fc.assert(
      fc.property(fc.array(size, { minLength: 1, maxLength: 4 }), whole(1, 120), whole(0, 6), (sizes, rateRps, instances) => {
        expect(boundCheapestCover(sizes, { rateRps, instances })).toBeCloseTo(cheapestByTrial(sizes, rateRps * (1 - 1e-11), instances), 9);
      }),
      { seed: 11, numRuns: 400 },
    );
  });

  it('equals trying every choice when prices have no common unit', () => {
    const size = fc.record({ price: fc.double({ min: 0.01, max: 2, noNaN: true }), rps: fc.double({ min: 1, max: 40, noNaN: true }) });
    fc.assert(
      fc.property(fc.array(size, { minLength: 1, maxLength: 3 }), whole(1, 90), whole(0, 5), (sizes, rateRps, instances) => {
        expect(boundCheapestCover(sizes, { rateRps, instances })).toBeCloseTo(cheapestByTrial(sizes, rateRps * (1 - 1e-11), instances), 9);
      }),
      { seed: 12, numRuns: 300 },
    );
  });

  it('stays a lower limit when the search is cut short', () => {
    const size = fc.record({ price: fc.double({ min: 0.5, max: 2, noNaN: true }), rps: fc.double({ min: 5, max: 20, noNaN: true }) });
    fc.assert(
      fc.property(
        fc.array(size, { minLength: 2, maxLength: 4 }),
        whole(50, 400),
        whole(0, 30),
        whole(0, 5),
        (sizes, rateRps, instances, maxNodes) => {
          const exact = boundCheapestCover(sizes, { rateRps, instances });
          const cut = boundCheapestCover(sizes, { rateRps, instances }, maxNodes);
          expect(cut).toBeLessThanOrEqual(exact * (1 + 1e-12));
          expect(cut).toBeGreaterThan(0);
        },
      ),
      { seed: 13, numRuns: 300 },
    );
  });

  it('does not blow up with many thousands of instances and equal prices per throughput', () => {
    const sizes = [1, 2, 3, 4, 7].map((slices) => ({ price: slices / 7, rps: 10 * slices }));
    expect(boundCheapestCover(sizes, { rateRps: 1e6 + 1, instances: 0 })).toBeCloseTo(100_001 / 7, 6);
    const uneven = [1, 2, 3, 4, 7].map((slices) => ({ price: slices * 0.142_857_1, rps: 9.87 * slices ** 0.999 }));
    expect(boundCheapestCover(uneven, { rateRps: 1e6, instances: 90_000 })).toBeGreaterThan(14_000);
  });

  it('costs nothing where a useful size has no price, and cannot be had where no size is useful', () => {
    expect(
      boundCheapestCover(
        [
          { price: 0, rps: 1 },
          { price: 1, rps: 9 },
        ],
        { rateRps: 50, instances: 3 },
      ),
    ).toBe(0);
    expect(boundCheapestCover([{ price: 1, rps: 0 }], { rateRps: 1, instances: 1 })).toBe(Number.POSITIVE_INFINITY);
  });

  it('works at the smallest and largest rates', () => {
    const sizes = [
      { price: 1, rps: 50 },
      { price: 2, rps: 110 },
    ];
    expect(boundCheapestCover(sizes, { rateRps: 1e-9, instances: 1 })).toBe(1);
    expect(boundCheapestCover(sizes, { rateRps: 1e9, instances: 1 })).toBeCloseTo(Math.ceil(1e9 / 110) * 2 - 1, 3);
  });
});
