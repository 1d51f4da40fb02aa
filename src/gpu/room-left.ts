import { baseProfiles } from './base-profiles.js';
import type { GpuModel, Layout, LayoutRules, MigProfile } from './gpu-model.js';
import { findBrokenRule } from './placement-rules.js';
import { layoutMask, sliceMask } from './slice-mask.js';

/**
 * The layout that leaves room for the most of the largest base profile, then of the next smaller one, and so on; the first of
 * equals. Keeping large holes whole is what lets later instances fit, since running instances cannot be moved.
 */
export function chooseRoomiest(
  model: GpuModel,
  layouts: readonly Layout[],
  beside: { readonly occupied: Layout; readonly rules: LayoutRules },
): Layout {
  const [first, ...others] = layouts;
  if (first === undefined) return [];
  if (others.length === 0) return first;
  const largestFirst = [...baseProfiles(model)].reverse();
  const roomOf = (layout: Layout) =>
    largestFirst.map((profile) => countFurther(model, profile, [...beside.occupied, ...layout], beside.rules));
  let best = { layout: first, room: roomOf(first) };
  for (const layout of others) {
    const room = roomOf(layout);
    const difference = room.findIndex((count, index) => count !== best.room[index]);
    if (difference >= 0 && (room[difference] ?? 0) > (best.room[difference] ?? 0)) best = { layout, room };
  }
  return best.layout;
}

/** How many more instances of one profile fit; taking the earliest free start is best because all have the same width. */
function countFurther(model: GpuModel, profile: MigProfile, layout: Layout, rules: LayoutRules): number {
  const held = layout.map((placed) => placed.profile);
  let taken = layoutMask(layout);
  let count = 0;
  for (const start of profile.starts) {
    const slices = sliceMask(profile, start);
    if ((taken & slices) !== 0) continue;
    held.push(profile);
    if (findBrokenRule(model, held, rules) !== undefined) break;
    taken |= slices;
    count++;
  }
  return count;
}
