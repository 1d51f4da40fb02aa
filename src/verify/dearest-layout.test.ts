import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GpuModel, LayoutRules } from '../gpu/gpu-model.js';
import { findDearestLayout, type PricedProfile } from './dearest-layout.js';
import { aGpuModel } from './workload.fixture.js';

/** Tries every set of placements, checking the rules of a GPU only on the whole set. */
function dearestByTrial(model: GpuModel, priced: readonly PricedProfile[], rules: LayoutRules): number {
  const places = priced.flatMap((one) => one.profile.starts.map((start) => ({ ...one, start, end: start + one.profile.memorySlices })));
  let best = 0;
  const extend = (from: number, chosen: typeof places) => {
    best = Math.max(best, isLegal(model, chosen, rules) ? chosen.reduce((sum, { price }) => sum + price, 0) : 0);
    for (let index = from; index < places.length; index++) {
      const place = places[index] as (typeof places)[number];
      if (chosen.every((other) => place.end <= other.start || other.end <= place.start)) extend(index + 1, [...chosen, place]);
    }
  };
  extend(0, []);
  return best;
}

function isLegal(model: GpuModel, chosen: readonly PricedProfile[], rules: LayoutRules): boolean {
  const profiles = chosen.map(({ profile }) => profile);
  const sum = (of: (profile: PricedProfile['profile']) => number) => profiles.reduce((total, profile) => total + of(profile), 0);
  const widths = new Set(profiles.map(({ computeSlices }) => computeSlices));
  return (
    sum(({ computeSlices }) => computeSlices) <= model.computeSlices &&
    sum(({ engines }) => engines.decoder) <= model.engines.decoder &&
    profiles.every((profile) => profiles.filter((other) => other === profile).length <= profile.maxCount) &&
    !(rules.forbid4gWith3g === true && widths.has(3) && widths.has(4))
  );
}

describe('the dearest layout', () => {
  const model = aGpuModel();
  const withPrices = (prices: readonly number[]) => model.profiles.map((profile, index) => ({ profile, price: prices[index] ?? 0 }));

  it('equals trying every set of placements, with and without the rule against 4g beside 3g', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 6, maxLength: 6 }), fc.boolean(), (prices, forbid4gWith3g) => {
        const priced = withPrices(prices);
        expect(findDearestLayout(model, priced, { forbid4gWith3g })).toBe(dearestByTrial(model, priced, { forbid4gWith3g }));
      }),
      { seed: 21, numRuns: 40 },
    );
  });

  it('counts seven small slices, not the eight that memory would hold', () => {
    expect(findDearestLayout(model, withPrices([1]), {})).toBe(7);
  });

  it('puts a 3g beside a 4g only where drivers allow it', () => {
    const prices = [0, 0, 0, 3, 4, 0];
    expect(findDearestLayout(model, withPrices(prices), {})).toBe(7);
    expect(findDearestLayout(model, withPrices(prices), { forbid4gWith3g: true })).toBe(6);
  });

  it('is worth nothing without prices', () => {
    expect(findDearestLayout(model, withPrices([]), {})).toBe(0);
  });
});
