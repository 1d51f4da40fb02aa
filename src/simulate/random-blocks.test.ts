import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../demand/seeded-random.js';
import { deriveSeed, RandomBlocks } from './random-blocks.js';

describe('RandomBlocks', () => {
  it('draws the same uniform numbers as the seeded generator', () => {
    for (const seed of [0, 1, -7, 2 ** 40 + 3]) {
      const block = new Float64Array(50);
      new RandomBlocks(seed).fillUniform(block);
      const other = createSeededRandom(seed);
      expect([...block]).toEqual(Array.from({ length: 50 }, () => other.uniform()));
    }
  });

  it.each([0, 0.5, 1, 2, 4])('draws gaps of mean 1 and variation %d', (variation) => {
    const gaps = new Float64Array(400_000);
    new RandomBlocks(5).fillGaps(gaps, variation);
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
    expect(mean).toBeCloseTo(1, 1.5);
    expect(Math.abs(deviation - variation)).toBeLessThanOrEqual(0.02 * variation);
    expect(gaps.every((gap) => gap >= 0 && Number.isFinite(gap))).toBe(true);
  });
});

describe('deriveSeed', () => {
  it('gives every purpose of every name a seed of its own', () => {
    const seeds = ['a', 'b', 'service-1', 'service-2'].flatMap((name) =>
      ['arrivals', 'router'].flatMap((purpose) => [1, 2].map((seed) => deriveSeed(seed, name, purpose))),
    );
    expect(new Set(seeds).size).toBe(seeds.length);
    expect(seeds.every(Number.isSafeInteger)).toBe(true);
    expect(deriveSeed(1, 'a', 'b')).toBe(deriveSeed(1, 'a', 'b'));
  });
});
