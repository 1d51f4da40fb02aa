import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BoundedCoverSearch } from './bounded-cover.js';

const items = fc.array(
  fc.record({ rps: fc.integer({ min: 1, max: 12 }), limit: fc.integer({ min: 0, max: 3 }), price: fc.integer({ min: 0, max: 9 }) }),
  { minLength: 1, maxLength: 4 },
);

/** Every choice of counts within the limits that carries the demand. */
function listCovers(kinds: readonly { readonly rps: number; readonly limit: number }[], demand: number, minCount: number): number[][] {
  let choices: number[][] = [[]];
  for (const { limit } of kinds) choices = choices.flatMap((counts) => Array.from({ length: limit + 1 }, (_, n) => [...counts, n]));
  return choices.filter(
    (counts) =>
      counts.reduce((sum, n, j) => sum + n * (kinds[j]?.rps ?? 0), 0) >= demand && counts.reduce((sum, n) => sum + n, 0) >= minCount,
  );
}

test('the cheapest cover costs what trying everything finds', () => {
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 3 }), (kinds, demand, minCount) => {
      const price = Float64Array.from(kinds, (kind) => kind.price);
      const costs = listCovers(kinds, demand, minCount).map((counts) => counts.reduce((sum, n, j) => sum + n * (price[j] as number), 0));
      const found = new BoundedCoverSearch(kinds, demand, minCount).cheapest(price);
      if (costs.length === 0) expect(found).toBeUndefined();
      else {
        expect(found?.cost).toBeCloseTo(Math.min(...costs), 9);
        expect(found?.lower).toBeCloseTo(Math.min(...costs), 9);
      }
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('within a budget every cover without an instance to spare is listed, once', () => {
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 30 }), (kinds, demand, limit) => {
      const price = Float64Array.from(kinds, (kind) => kind.price);
      const isMinimal = (counts: readonly number[]): boolean => {
        const spare = counts.reduce((sum, n, j) => sum + n * (kinds[j]?.rps ?? 0), 0) - demand;
        return counts.every((n, j) => n === 0 || (kinds[j]?.rps ?? 0) > spare);
      };
      const costOf = (counts: readonly number[]): number => counts.reduce((sum, n, j) => sum + n * (price[j] as number), 0);
      const expected = listCovers(kinds, demand, 1).filter((counts) => isMinimal(counts) && costOf(counts) <= limit);
      const found = new BoundedCoverSearch(kinds, demand, 1).within([{ price, limit }], 10_000);
      expect(found?.map((counts) => counts.join()).sort()).toEqual(expected.map((counts) => counts.join()).sort());
    }),
    { seed: 2, numRuns: 300 },
  );
});

test('more covers than asked for give no list', () => {
  const search = new BoundedCoverSearch(Array(6).fill({ rps: 1, limit: 3 }), 6, 1);
  expect(search.within([{ price: new Float64Array(6), limit: 1 }], 10)).toBeUndefined();
});
