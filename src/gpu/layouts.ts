import { inlayError } from '../errors.js';
import type { GpuModel, Layout, LayoutRules, MigProfile, PlacedProfile } from './gpu-model.js';
import { placeOnGpu } from './placement.js';
import { findBrokenRule } from './placement-rules.js';
import { layoutMask, sliceMask } from './slice-mask.js';

/** What a GPU can hold: so many instances of each given profile, with one way to place them. */
export interface LayoutShape {
  /** One count a profile, aligned with the profiles that were asked for. */
  readonly counts: readonly number[];
  /** A placement of these counts, ascending by start, without what was occupied before. */
  readonly layout: Layout;
}

/** Most layouts or combinations that one call looks at; the largest built-in chip needs a few thousand. */
const maxCombinations = 20_000;

/** Every non-empty legal layout of the given profiles, smaller starts first. */
export function enumerateLayouts(model: GpuModel, profiles: readonly MigProfile[], rules: LayoutRules = {}): readonly Layout[] {
  const layouts: Layout[] = [];
  const extend = (layout: Layout, from: number) => {
    if (layout.length > 0) layouts.push(layout);
    stopIfTooMany(model, profiles, layouts.length);
    for (let start = from; start < model.memorySlices; start++) {
      for (const profile of profiles) {
        if (!profile.starts.includes(start)) continue;
        const larger = [...layout, { profile, start }];
        if (findBrokenRule(model, larger.map(profileOf), rules) === undefined) extend(larger, start + profile.memorySlices);
      }
    }
  };
  extend([], 0);
  return layouts;
}

/** The legal layouts to which no instance of the given profiles can be added. */
export function maximalLayouts(model: GpuModel, profiles: readonly MigProfile[], rules: LayoutRules = {}): readonly Layout[] {
  return enumerateLayouts(model, profiles, rules).filter((layout) => {
    const taken = layoutMask(layout);
    const placed = layout.map(profileOf);
    return !profiles.some(
      (profile) =>
        profile.starts.some((start) => (sliceMask(profile, start) & taken) === 0) &&
        findBrokenRule(model, [...placed, profile], rules) === undefined,
    );
  });
}

/**
 * The combinations of profiles that a GPU can hold and that no other legal combination contains: any set of instances that
 * fits on a GPU is part of one of these. Largest profiles first (`7 | 4+3 | 4+2+1 …`). With `occupied`, only what fits beside it.
 */
export function undominatedLayouts(
  model: GpuModel,
  profiles: readonly MigProfile[],
  options: { readonly rules?: LayoutRules; readonly occupied?: Layout } = {},
): readonly LayoutShape[] {
  const combinations = legalCombinations(model, profiles, options.rules ?? {}, options.occupied ?? []);
  const undominated = [...combinations.values()].filter(
    (counts) => counts.some((count) => count > 0) && !counts.some((_, index) => combinations.has(keyOf(withOneMore(counts, index)))),
  );
  return undominated
    .sort((a, b) => compareBySize(profiles, a, b))
    .map((counts) => ({ counts, layout: witness(model, profiles, counts, options) }));
}

type Counts = readonly number[];

/**
 * All combinations that can be placed, by key. Goes over the memory slices once and remembers, for each slice, which
 * combinations end before it: far fewer than layouts, since most layouts only differ in where things sit.
 */
function legalCombinations(
  model: GpuModel,
  profiles: readonly MigProfile[],
  rules: LayoutRules,
  occupied: Layout,
): ReadonlyMap<string, Counts> {
  const taken = layoutMask(occupied);
  const legal = new Map<string, boolean>();
  const isLegal = (key: string, counts: Counts): boolean => {
    const known = legal.get(key);
    if (known !== undefined) return known;
    const answer = findBrokenRule(model, [...occupied.map(profileOf), ...expand(profiles, counts)], rules) === undefined;
    legal.set(key, answer);
    stopIfTooMany(model, profiles, legal.size);
    return answer;
  };
  const endingAt: Map<string, Counts>[] = Array.from({ length: model.memorySlices + 1 }, () => new Map());
  const nothing = profiles.map(() => 0);
  endingAt[0]?.set(keyOf(nothing), nothing);
  for (let slice = 0; slice < model.memorySlices; slice++) {
    for (const [key, counts] of endingAt[slice] ?? []) {
      endingAt[slice + 1]?.set(key, counts);
      profiles.forEach((profile, index) => {
        if (!profile.starts.includes(slice) || (sliceMask(profile, slice) & taken) !== 0) return;
        const larger = withOneMore(counts, index);
        const largerKey = keyOf(larger);
        if (isLegal(largerKey, larger)) endingAt[slice + profile.memorySlices]?.set(largerKey, larger);
      });
    }
  }
  return endingAt[model.memorySlices] ?? new Map();
}

function witness(
  model: GpuModel,
  profiles: readonly MigProfile[],
  counts: Counts,
  options: { readonly rules?: LayoutRules; readonly occupied?: Layout },
): Layout {
  const placed = placeOnGpu(model, expand(profiles, counts), options);
  if (placed.kind === 'placed') return placed.layout;
  throw new Error(`a legal combination could not be placed on ${model.name}: ${placed.reason}`);
}

/** Most of the largest profile first, then of the next: the order in which people write layouts. */
function compareBySize(profiles: readonly MigProfile[], a: Counts, b: Counts): number {
  const order = profiles.map((_, index) => index).sort((x, y) => compareProfiles(profiles[y], profiles[x]) || x - y);
  for (const index of order) {
    const difference = (b[index] ?? 0) - (a[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareProfiles(a: MigProfile | undefined, b: MigProfile | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return a.computeSlices - b.computeSlices || a.memorySlices - b.memorySlices;
}

function expand(profiles: readonly MigProfile[], counts: Counts): MigProfile[] {
  return profiles.flatMap((profile, index) => Array<MigProfile>(counts[index] ?? 0).fill(profile));
}

function withOneMore(counts: Counts, index: number): Counts {
  return counts.map((count, other) => (other === index ? count + 1 : count));
}

function keyOf(counts: Counts): string {
  return counts.join(',');
}

function profileOf(placed: PlacedProfile): MigProfile {
  return placed.profile;
}

function stopIfTooMany(model: GpuModel, profiles: readonly MigProfile[], count: number): void {
  if (count <= maxCombinations) return;
  throw inlayError('TOO_MANY', {
    message: `The ${profiles.length} profiles of ${model.name} can be combined in more than ${maxCombinations} ways.`,
    hint: 'Allow fewer profiles.',
  });
}
