import { ownProfile } from './base-profiles.js';
import { explainNoRoom } from './explain-no-room.js';
import type { GpuModel, Layout, LayoutRules, MigProfile, PlacedProfile } from './gpu-model.js';
import { placeAll, sortLargestFirst } from './place-all.js';
import { findBrokenRule, type IllegalLayout } from './placement-rules.js';
import { chooseRoomiest } from './room-left.js';
import { formatPlaced, layoutMask, nameSlices, sliceMask, slicesOf } from './slice-mask.js';

/** Instances with their starts, or why they cannot sit together. */
export type Placement = { readonly kind: 'placed'; readonly layout: Layout } | IllegalLayout;

/** What is already on the GPU, and rules beyond the placements. */
export interface PlacementOptions {
  readonly occupied?: Layout;
  readonly rules?: LayoutRules;
}

/** Whether a layout with given starts can exist on the GPU. Profiles are looked up by name, so that only the model's own table counts. */
export function checkLayout(model: GpuModel, layout: Layout, rules: LayoutRules = {}): { readonly kind: 'legal' } | IllegalLayout {
  const checked: PlacedProfile[] = [];
  for (const { profile: given, start } of layout) {
    const profile = ownProfile(model, given.name);
    if (profile === undefined) return { kind: 'illegal', rule: 'unknown-profile', reason: `${model.name} has no profile ${given.name}.` };
    const placed = { profile, start };
    const broken = findWrongStart(model, placed) ?? findOverlap(placed, checked);
    if (broken !== undefined) return broken;
    checked.push(placed);
  }
  const profiles = checked.map((placed) => placed.profile);
  return findBrokenRule(model, profiles, rules) ?? { kind: 'legal' };
}

function findWrongStart(model: GpuModel, { profile, start }: PlacedProfile): IllegalLayout | undefined {
  if (profile.starts.includes(start)) return undefined;
  return {
    kind: 'illegal',
    rule: 'start',
    reason: `${profile.name} cannot start at memory slice ${start} of ${model.name}, only at ${profile.starts.join(', ')}.`,
  };
}

function findOverlap(placed: PlacedProfile, others: Layout): IllegalLayout | undefined {
  for (const other of others) {
    const shared = slicesOf(sliceMask(placed.profile, placed.start) & sliceMask(other.profile, other.start));
    if (shared.length > 0) {
      return {
        kind: 'illegal',
        rule: 'memory-slices',
        reason: `${formatPlaced(other)} and ${formatPlaced(placed)} both cover ${nameSlices(shared)}.`,
        memorySlices: shared,
      };
    }
  }
  return undefined;
}

/**
 * Places the wanted instances on one GPU beside what is occupied (a legal layout), or says why that is impossible. Of all
 * possible placements the one that leaves room for the largest further instances is taken; equal requests get equal starts,
 * in whatever order they are written. The answer holds the wanted instances only, ascending by start.
 * @example placeOnGpu(h100, [g4, g2, g1]) // 4g@0 2g@4 1g@6
 */
export function placeOnGpu(model: GpuModel, wanted: readonly MigProfile[], options: PlacementOptions = {}): Placement {
  const { occupied = [], rules = {} } = options;
  const ordered = sortLargestFirst(wanted);
  const broken = findBrokenRule(model, [...occupied.map((placed) => placed.profile), ...ordered], rules);
  if (broken !== undefined) return broken;
  const placements = placeAll(ordered, layoutMask(occupied));
  if (placements.length === 0) return explainNoRoom(model, ordered, occupied);
  const layout = chooseRoomiest(model, placements, { occupied, rules });
  return { kind: 'placed', layout: [...layout].sort((a, b) => a.start - b.start) };
}
