import fc from 'fast-check';
import { expect, test } from 'vitest';
import { roundUp, showNumber } from './show-number.js';

test('a shown number has four significant digits and no trailing zeros', () => {
  expect([57.142857, 0.5, 1234.56, 12, 1e-7 / 3].map(showNumber)).toEqual(['57.14', '0.5', '1235', '12', '3.333e-8']);
});

test('rounding up gives a slightly larger number', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), (value) => {
      expect(roundUp(value)).toBeGreaterThan(value);
      expect(roundUp(value)).toBeLessThan(value * 1.0011);
    }),
    { numRuns: 300, seed: 5 },
  );
});
