import { describe, expect, test } from 'vitest';
import { findPriceUnit, roundUpToUnit } from './objective-unit.js';

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

describe('a bound rounded up', () => {
  test.each([
    [48.59, 1, 49],
    [49.0000004, 1, 49],
    [37.57, 0.1, 37.6],
    [37.57, 0, 37.57],
    [0, 1, 0],
  ])('%s in units of %s is %s', (bound, unit, expected) => {
    expect(roundUpToUnit(bound, unit)).toBe(expected);
  });
});
