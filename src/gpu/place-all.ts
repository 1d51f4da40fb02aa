import type { Layout, MigProfile } from './gpu-model.js';
import { sliceMask } from './slice-mask.js';

/**
 * One placement of the instances for every set of memory slices they can end up covering, none when they cannot be placed.
 * `taken` is the mask of slices that are not free. Placements that cover the same slices leave the same room, so one of them
 * is enough: at most 2^slices are kept however many there are. Other rules than placement are not looked at.
 */
export function placeAll(wanted: readonly MigProfile[], taken: number): readonly Layout[] {
  let placements: ReadonlyMap<number, Layout> = new Map([[taken, []]]);
  for (const profile of wanted) {
    const next = new Map<number, Layout>();
    for (const [mask, layout] of placements) {
      for (const start of profile.starts) {
        const slices = sliceMask(profile, start);
        if ((mask & slices) === 0 && !next.has(mask | slices)) next.set(mask | slices, [...layout, { profile, start }]);
      }
    }
    placements = next;
  }
  return [...placements.values()];
}

/** Instances in the order in which they are placed and listed: largest first, equal ones together. */
export function sortLargestFirst(profiles: readonly MigProfile[]): readonly MigProfile[] {
  return [...profiles].sort(
    (a, b) => b.memorySlices - a.memorySlices || b.computeSlices - a.computeSlices || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
}
