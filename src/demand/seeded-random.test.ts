import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSeededRandom } from './seeded-random.js';

function draw(seed: number, count: number): readonly number[] {
  const random = createSeededRandom(seed);
  return Array.from({ length: count }, random.uniform);
}

test('a stream never changes: workloads and results are published by seed', () => {
  const random = createSeededRandom(1);
  expect([random.uniform(), random.uniform(), random.below(100), random.normal()]).toMatchInlineSnapshot(`
    [
      0.41439975961111486,
      0.4718119385652244,
      38,
      1.3914235178639613,
    ]
  `);
});

test('equal seeds give equal streams, different seeds different ones', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (one, other) => {
      expect(draw(one, 4)).toEqual(draw(one, 4));
      if (one !== other) expect(draw(one, 4)).not.toEqual(draw(other, 4));
    }),
    { seed: 3, numRuns: 200 },
  );
});

test('uniform draws fill [0, 1) evenly', () => {
  const bins = new Array<number>(10).fill(0);
  for (const value of draw(7, 20_000)) {
    expect(value >= 0 && value < 1).toBe(true);
    const bin = Math.floor(value * 10);
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  // Deviation of a bin is 42; five of them.
  for (const count of bins) expect(Math.abs(count - 2000)).toBeLessThan(210);
});

test('normal draws have mean 0 and deviation 1', () => {
  const random = createSeededRandom(11);
  const draws = Array.from({ length: 20_000 }, random.normal);
  const mean = draws.reduce((sum, value) => sum + value, 0) / draws.length;
  const variance = draws.reduce((sum, value) => sum + (value - mean) ** 2, 0) / draws.length;
  expect(Math.abs(mean)).toBeLessThan(0.03);
  expect(Math.abs(variance - 1)).toBeLessThan(0.05);
});

test('near seeds give unrelated streams', () => {
  const [one, other] = [draw(100, 5000), draw(101, 5000)];
  const correlation = one.reduce((sum, value, i) => sum + (value - 0.5) * ((other[i] as number) - 0.5), 0) / one.length / (1 / 12);
  expect(Math.abs(correlation)).toBeLessThan(0.06);
});
