import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findPriceUnit, roundUpToSum } from './objective-unit.js';

describe('the unit of prices', () => {
  test.each([
    [[1], 1],
    [[1, 1.7, 0.8, 0.4], 0.1],
    [[2.5, 4], 0.5],
    [[0.75, 1.25], 0.25],
    [[1, 1 / 3], 0],
    [[1e-7], 0],
  ])('of %j is %s', (prices, unit) => {
    expect(findPriceUnit(prices)).toBe(unit);
  });
});

describe('a bound rounded up to a sum of prices', () => {
  test.each([
    [48.59, [1], 49],
    [49.0000004, [1], 49],
    [37.57, [1, 1.7, 0.8, 0.4], 37.6],
    [37.57, [1, 1 / 3], 37.57],
    [0, [1], 0],
    [1, [2, 3], 2],
    [4.5, [2.5, 4], 5],
    [5.5, [2.5, 4], 6.5],
    [1e9, [3, 5], 1e9],
    [0.1, [1234.567891, 987.654321], 0.1],
  ])('%s with prices %j is %s', (bound, prices, expected) => {
    expect(roundUpToSum(bound, prices)).toBe(expected);
  });

  test('is the next sum that can be paid, found by listing all', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 2000 }), (prices, bound) => {
        const payable = Array.from({ length: 2100 }, (_, n) => n === 0);
        for (let n = 1; n < payable.length; n++) payable[n] = prices.some((price) => payable[n - price] === true);
        expect(
          roundUpToSum(
            bound / 10,
            prices.map((price) => price / 10),
          ),
        ).toBe(payable.indexOf(true, bound) / 10);
      }),
      { seed: 11, numRuns: 500 },
    );
  });
});
