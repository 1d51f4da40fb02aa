import type { Layout, MigProfile, PlacedProfile } from './gpu-model.js';

/** The memory slices that an instance covers, as bits: slice s is bit s. */
export function sliceMask(profile: MigProfile, start: number): number {
  return ((1 << profile.memorySlices) - 1) << start;
}

/** The memory slices that a layout covers, as bits. */
export function layoutMask(layout: Layout): number {
  return layout.reduce((mask, { profile, start }) => mask | sliceMask(profile, start), 0);
}

/** The slices of a mask, ascending. */
export function slicesOf(mask: number): readonly number[] {
  const slices: number[] = [];
  for (let slice = 0; mask >>> slice !== 0; slice++) if ((mask >>> slice) & 1) slices.push(slice);
  return slices;
}

/** Slices as text: `0-3`, `6`, `0-1, 4`. */
export function formatSlices(slices: readonly number[]): string {
  const runs: string[] = [];
  for (let from = 0; from < slices.length; ) {
    let to = from;
    while (slices[to + 1] === (slices[to] as number) + 1) to++;
    runs.push(from === to ? `${slices[from]}` : `${slices[from]}-${slices[to]}`);
    from = to + 1;
  }
  return runs.join(', ');
}

/** Memory slices as words: `memory slice 6`, `memory slices 0-3`. */
export function nameSlices(slices: readonly number[]): string {
  return `memory slice${slices.length === 1 ? '' : 's'} ${formatSlices(slices)}`;
}

/** An instance as text: `1g.10gb@4`. */
export function formatPlaced({ profile, start }: PlacedProfile): string {
  return `${profile.name}@${start}`;
}

/** A layout as text, ascending by start: `3g.40gb@0 3g.40gb@4`. */
export function formatLayout(layout: Layout): string {
  return layout.map(formatPlaced).join(' ');
}
