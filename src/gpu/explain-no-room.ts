import type { GpuModel, Layout, MigProfile } from './gpu-model.js';
import { placeAll } from './place-all.js';
import type { IllegalLayout } from './placement-rules.js';
import { formatPlaced, formatSlices, layoutMask, sliceMask, slicesOf } from './slice-mask.js';

/** Says which of the wanted instances (largest first) finds no place and who holds the memory slices it would need. */
export function explainNoRoom(model: GpuModel, wanted: readonly MigProfile[], occupied: Layout): IllegalLayout {
  const taken = layoutMask(occupied);
  let neighbours: Layout = [];
  for (const [index, profile] of wanted.entries()) {
    const placement = placeAll(wanted.slice(0, index + 1), taken)[0];
    if (placement === undefined) return explain(model, profile, [...occupied, ...neighbours]);
    neighbours = placement;
  }
  throw new RangeError('explainNoRoom was asked about instances that have room');
}

function explain(model: GpuModel, profile: MigProfile, holders: Layout): IllegalLayout {
  const usable = profile.starts.reduce((mask, start) => mask | sliceMask(profile, start), 0);
  const taken = layoutMask(holders);
  const free = slicesOf(((1 << model.memorySlices) - 1) & ~taken);
  const blockers = [...holders]
    .sort((a, b) => a.start - b.start)
    .filter((placed) => (sliceMask(placed.profile, placed.start) & usable) !== 0);
  const held = blockers.map((placed) => `${formatPlaced(placed)} holds ${formatSlices(slicesOf(sliceMask(placed.profile, placed.start)))}`);
  return {
    kind: 'illegal',
    rule: 'memory-slices',
    reason: `No memory slices are left for ${profile.name}, which needs ${needs(profile)}: ${held.join(', ')}.`,
    memorySlices: slicesOf(usable & taken),
    ...(free.length < profile.memorySlices
      ? {}
      : { hint: `Memory slices ${formatSlices(free)} are free, but not in one piece where ${profile.name} may start.` }),
  };
}

function needs(profile: MigProfile): string {
  if (profile.memorySlices === 1) return `one of ${formatSlices(profile.starts)}`;
  return profile.starts.map((start) => formatSlices(slicesOf(sliceMask(profile, start)))).join(' or ');
}
