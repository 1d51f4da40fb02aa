import type { GpuModel, Layout, LayoutRules, MigProfile } from './gpu-model.js';
import { undominatedLayouts } from './layouts.js';
import { sortLargestFirst } from './place-all.js';
import { placeOnGpu } from './placement.js';
import { findBrokenRule, type IllegalLayout } from './placement-rules.js';

/** Instances on the fewest empty GPUs, or why they do not fit. */
export type FewestPlacement =
  /** One layout a used GPU; `proven` says that no fewer GPUs can hold the instances. */
  | { readonly kind: 'placed'; readonly layouts: readonly Layout[]; readonly proven: boolean }
  | IllegalLayout
  /** More GPUs are needed than there are: `needed` of them are enough. */
  | { readonly kind: 'too-few-gpus'; readonly needed: number; readonly proven: boolean };

/** Search steps after which the best cover so far is given without proof; requests of a few dozen instances need far fewer. */
const maxSteps = 50_000;

type Counts = readonly number[];

/**
 * Places the wanted instances onto the fewest of so many empty GPUs of one model. A GPU can hold exactly the parts of the
 * undominated layouts, so the question is how few of those cover the request: a first cover takes what fits most, then every
 * smaller number is searched exhaustively.
 */
export function placeOnFewest(model: GpuModel, wanted: readonly MigProfile[], gpus: number, rules: LayoutRules = {}): FewestPlacement {
  const profiles = distinctLargestFirst(wanted);
  for (const profile of profiles) {
    const broken = findBrokenRule(model, [profile], rules);
    if (broken !== undefined) return broken;
  }
  const shapes = undominatedLayouts(model, profiles, { rules }).map((shape) => shape.counts);
  const demand = profiles.map((profile) => wanted.filter((other) => other.name === profile.name).length);
  const { cover, proven } = coverWithFewest(shapes, demand, fewestConceivable(model, wanted, shapes, demand));
  if (cover.length > gpus) return { kind: 'too-few-gpus', needed: cover.length, proven };
  return { kind: 'placed', layouts: cover.map((counts) => place(model, profiles, counts, rules)), proven };
}

/** By slices alone, and by each profile alone, this many GPUs are needed at least. */
function fewestConceivable(model: GpuModel, wanted: readonly MigProfile[], shapes: readonly Counts[], demand: Counts): number {
  const compute = wanted.reduce((sum, profile) => sum + profile.computeSlices, 0);
  const memory = wanted.reduce((sum, profile) => sum + profile.memorySlices, 0);
  const alone = demand.map((count, index) => Math.ceil(count / Math.max(...shapes.map((shape) => shape[index] ?? 0))));
  return Math.max(Math.ceil(compute / model.computeSlices), Math.ceil(memory / model.memorySlices), ...alone);
}

function coverWithFewest(
  shapes: readonly Counts[],
  demand: Counts,
  atLeast: number,
): { readonly cover: readonly Counts[]; readonly proven: boolean } {
  const greedy = coverGreedily(shapes, demand);
  const search = { steps: 0 };
  for (let gpus = atLeast; gpus < greedy.length; gpus++) {
    const cover = searchCover(shapes, demand, gpus, new Set(), search);
    if (cover !== undefined) return { cover, proven: true };
    if (search.steps > maxSteps) return { cover: greedy, proven: false };
  }
  return { cover: greedy, proven: true };
}

/** Takes, GPU by GPU, the layout that holds most of what is left, larger profiles counting first. */
function coverGreedily(shapes: readonly Counts[], demand: Counts): readonly Counts[] {
  const cover: Counts[] = [];
  let left = demand;
  while (left.some((count) => count > 0)) {
    const parts = shapes.map((shape) => shape.map((count, index) => Math.min(count, left[index] ?? 0)));
    const best = parts.reduce((a, b) => (compareCounts(b, a) > 0 ? b : a));
    cover.push(best);
    left = subtract(left, best);
  }
  return cover;
}

/** Looks for a cover with so many layouts; `failed` remembers what cannot be covered, so that no state is searched twice. */
function searchCover(
  shapes: readonly Counts[],
  left: Counts,
  gpus: number,
  failed: Set<string>,
  search: { steps: number },
): readonly Counts[] | undefined {
  const first = left.findIndex((count) => count > 0);
  if (first < 0) return [];
  const state = `${gpus}:${left.join(',')}`;
  if (gpus === 0 || failed.has(state) || ++search.steps > maxSteps) return undefined;
  const parts = new Map<string, Counts>();
  for (const shape of shapes) {
    const part = shape.map((count, index) => Math.min(count, left[index] ?? 0));
    // Some GPU holds an instance of the first profile: it is no loss to fill that one now.
    if ((part[first] ?? 0) > 0) parts.set(part.join(','), part);
  }
  for (const part of [...parts.values()].sort((a, b) => compareCounts(b, a))) {
    const rest = searchCover(shapes, subtract(left, part), gpus - 1, failed, search);
    if (rest !== undefined) return [part, ...rest];
  }
  failed.add(state);
  return undefined;
}

function place(model: GpuModel, profiles: readonly MigProfile[], counts: Counts, rules: LayoutRules): Layout {
  const placed = placeOnGpu(
    model,
    profiles.flatMap((profile, index) => Array<MigProfile>(counts[index] ?? 0).fill(profile)),
    { rules },
  );
  if (placed.kind === 'placed') return placed.layout;
  throw new Error(`part of a legal layout could not be placed on ${model.name}: ${placed.reason}`);
}

function distinctLargestFirst(wanted: readonly MigProfile[]): readonly MigProfile[] {
  return sortLargestFirst(wanted).filter((profile, index, all) => index === 0 || all[index - 1]?.name !== profile.name);
}

function subtract(left: Counts, part: Counts): Counts {
  return left.map((count, index) => count - (part[index] ?? 0));
}

function compareCounts(a: Counts, b: Counts): number {
  const index = a.findIndex((count, position) => count !== b[position]);
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
}
