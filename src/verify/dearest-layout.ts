import type { GpuModel, LayoutRules, MigProfile } from '../gpu/gpu-model.js';
import { findExceededLimit } from './shared-limits.js';

/** A profile that may be cut, at its price. */
export interface PricedProfile {
  readonly profile: MigProfile;
  readonly price: number;
}

/**
 * The highest sum of prices that any legal layout of one empty GPU reaches. Exact: walks the memory slices from the first to the
 * last, and remembers what the rest is worth for each set of instances placed so far.
 */
export function findDearestLayout(model: GpuModel, offered: readonly PricedProfile[], rules: LayoutRules): number {
  const priced = offered.filter(({ price }) => price > 0);
  const worth = new Map<string, number>();
  const counts = priced.map(() => 0);
  const placed: MigProfile[] = [];

  const worthFrom = (slice: number): number => {
    if (slice >= model.memorySlices) return 0;
    const key = `${slice}:${counts.join()}`;
    const known = worth.get(key);
    if (known !== undefined) return known;
    let best = worthFrom(slice + 1);
    for (const [index, { profile, price }] of priced.entries()) {
      if (!profile.starts.includes(slice) || slice + profile.memorySlices > model.memorySlices) continue;
      placed.push(profile);
      if (findExceededLimit(model, placed, rules) === undefined) {
        counts[index] = (counts[index] ?? 0) + 1;
        best = Math.max(best, price + worthFrom(slice + profile.memorySlices));
        counts[index] = (counts[index] ?? 0) - 1;
      }
      placed.pop();
    }
    worth.set(key, best);
    return best;
  };
  return worthFrom(0);
}
