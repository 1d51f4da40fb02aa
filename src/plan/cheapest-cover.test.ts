import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CoverSearch } from './cheapest-cover.js';

interface Case {
  readonly price: readonly number[];
  readonly rps: readonly number[];
  readonly demand: number;
  readonly minCount: number;
}

/** Sizes with prices and throughputs that tie often, some of them not usable, some for free. */
const cases: fc.Arbitrary<Case> = fc
  .record({
    items: fc.array(fc.record({ price: fc.integer({ min: 0, max: 12 }), rps: fc.integer({ min: 0, max: 9 }) }), {
      minLength: 1,
      maxLength: 5,
    }),
    demand: fc.integer({ min: 1, max: 30 }),
    minCount: fc.integer({ min: 0, max: 4 }),
  })
  .filter(({ items }) => items.some(({ rps }) => rps > 0))
  .map(({ items, demand, minCount }) => ({ price: items.map(({ price }) => price), rps: items.map(({ rps }) => rps), demand, minCount }));

/** Every cover with counts up to what one size alone needs, by trying all. */
function tryAll({ price, rps, demand, minCount }: Case): number[] {
  const costs: number[] = [];
  const extend = (k: number, cost: number, got: number, count: number): void => {
    if (k === price.length) {
      if (got >= demand && count >= minCount) costs.push(cost);
      return;
    }
    const most = rps[k] === 0 ? 0 : Math.max(Math.ceil(demand / (rps[k] as number)), minCount);
    for (let x = 0; x <= most; x++) extend(k + 1, cost + x * (price[k] as number), got + x * (rps[k] as number), count + x);
  };
  extend(0, 0, 0, 0);
  return costs.sort((a, b) => a - b);
}

const runs = { seed: 11, numRuns: 300 } as const;
const arrays = ({ price, rps }: Case): [Float64Array, Float64Array] => [Float64Array.from(price), Float64Array.from(rps)];
const sum = (counts: Int32Array, weights: readonly number[]): number =>
  counts.reduce((total, count, k) => total + count * (weights[k] as number), 0);

describe('the cheapest cover', () => {
  test('costs what trying all finds, covers the demand, and its proven limit is no more', () => {
    fc.assert(
      fc.property(cases, (drawn) => {
        const [price, rps] = arrays(drawn);
        const cover = new CoverSearch(price.length).cheapest(price, rps, 0, drawn.demand, drawn.minCount);
        expect(cover.cost).toBeCloseTo(tryAll(drawn)[0] as number, 9);
        expect(sum(cover.counts, drawn.price)).toBeCloseTo(cover.cost, 9);
        expect(sum(cover.counts, drawn.rps)).toBeGreaterThanOrEqual(drawn.demand);
        expect(cover.counts.reduce((a, b) => a + b)).toBeGreaterThanOrEqual(drawn.minCount);
        expect(cover.lower).toBeLessThanOrEqual(cover.cost);
        expect(cover.lower).toBeGreaterThanOrEqual(cover.cost * (1 - 1e-8));
      }),
      runs,
    );
  });

  test('reads throughputs of one service after another from one table', () => {
    const search = new CoverSearch(2);
    const table = Float64Array.from([1, 0, 0, 5]);
    const price = Float64Array.from([1, 2]);
    expect([...search.cheapest(price, table, 0, 3, 0).counts]).toEqual([3, 0]);
    expect([...search.cheapest(price, table, 2, 3, 0).counts]).toEqual([0, 1]);
  });

  test.each([1e-9, 1e9])('does not lose the last bit of a demand of %s', (scale) => {
    const cover = new CoverSearch(1).cheapest(Float64Array.of(1), Float64Array.of(scale / 10), 0, scale, 0);
    expect([...cover.counts]).toEqual([10]);
  });

  test('stays quick and proves a close limit where all sizes cost the same per request', () => {
    const price = Float64Array.from([0.13713, 0.2742601, 0.451599, 0.5484013, 0.9999]);
    const rps = price.map((value, k) => value * 1000 * (1 + 1e-7 * k));
    const cover = new CoverSearch(5).cheapest(price, rps, 0, 123_456.789, 0);
    expect(cover.cost - cover.lower).toBeLessThan(0.02);
  });
});

describe('near covers', () => {
  test('are different, cover the demand, stay within the limit, and begin with the cheapest', () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 10 }), (drawn, keep, reach) => {
        const [price, rps] = arrays(drawn);
        const search = new CoverSearch(price.length);
        const { cost } = search.cheapest(price, rps, 0, drawn.demand, drawn.minCount);
        const covers = search.near(price, rps, 0, drawn.demand, drawn.minCount, cost + reach, keep);
        expect(covers.length).toBeLessThanOrEqual(keep);
        expect(new Set(covers.map(({ counts }) => counts.join())).size).toBe(covers.length);
        for (const cover of covers) {
          expect(sum(cover.counts, drawn.rps)).toBeGreaterThanOrEqual(drawn.demand);
          expect(cover.cost).toBeLessThanOrEqual(cost + reach);
        }
        expect(covers[0]?.cost).toBeCloseTo(cost, 9);
      }),
      runs,
    );
  });
});
