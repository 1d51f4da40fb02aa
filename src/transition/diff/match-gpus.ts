import type { StateGpu, StateInstance } from '../../demand/documents/state.js';

/** A GPU of a target that is not yet tied to a physical GPU. */
export interface WantedGpu {
  readonly id: string;
  readonly pool: string;
  readonly type: string;
  readonly instances: readonly StateInstance[];
}

/** A wanted GPU and the physical one that becomes it; a new GPU without one. */
export interface MatchedGpu {
  readonly wanted: WantedGpu;
  readonly physical: StateGpu | undefined;
}

/**
 * Ties wanted GPUs to physical ones of their pool: by id where that keeps at least as many pods as by likeness, because a
 * plan made without a current state only numbers its GPUs. Equal input gives equal ties.
 */
export function matchGpus(wanted: readonly WantedGpu[], physical: readonly StateGpu[]): readonly MatchedGpu[] {
  const byId = matchById(wanted, physical);
  const byLikeness = matchByLikeness(wanted, physical);
  if (byId.every((match) => match.physical === undefined)) return byLikeness;
  return countKept(byId) >= countKept(byLikeness) ? byId : byLikeness;
}

/** Ties wanted GPUs to the physical ones of the same id. */
export function matchById(wanted: readonly WantedGpu[], physical: readonly StateGpu[]): readonly MatchedGpu[] {
  const known = new Map(physical.map((gpu) => [gpu.id, gpu]));
  return wanted.map((gpu) => ({ wanted: gpu, physical: known.get(gpu.id) }));
}

/** Takes the pair with the most equal pods first, then the most equal instances, then the one listed first. */
function matchByLikeness(wanted: readonly WantedGpu[], physical: readonly StateGpu[]): readonly MatchedGpu[] {
  const usable = physical.filter(({ reserved }) => reserved !== true);
  const pairs = listLikePairs(wanted, usable);
  const matched = new Map<WantedGpu, StateGpu>();
  const taken = new Set<StateGpu>();
  for (const { gpu, other } of pairs) {
    if (matched.has(gpu) || taken.has(other)) continue;
    matched.set(gpu, other);
    taken.add(other);
  }
  for (const gpu of wanted) {
    if (matched.has(gpu)) continue;
    const free = usable.find((other) => other.pool === gpu.pool && !taken.has(other));
    if (free === undefined) continue;
    matched.set(gpu, free);
    taken.add(free);
  }
  return wanted.map((gpu) => ({ wanted: gpu, physical: matched.get(gpu) }));
}

/** Pairs of one pool with something in common, best first. An index by content keeps this fast for large fleets. */
function listLikePairs(wanted: readonly WantedGpu[], physical: readonly StateGpu[]) {
  const holders = new Map<string, { readonly gpu: WantedGpu; readonly rank: number }[]>();
  for (const [rank, gpu] of wanted.entries()) {
    for (const key of gpu.instances.map((instance) => podKey(gpu.pool, instance))) {
      const own = holders.get(key);
      if (own === undefined) holders.set(key, [{ gpu, rank }]);
      else own.push({ gpu, rank });
    }
  }
  const pairs = physical.flatMap((other, place) => {
    const likeness = new Map<WantedGpu, { score: number; readonly rank: number }>();
    for (const instance of other.instances) {
      for (const { gpu, rank } of holders.get(podKey(other.pool, instance)) ?? []) {
        const entry = likeness.get(gpu) ?? { score: 0, rank };
        entry.score += instance.service === null ? 0.01 : 1;
        likeness.set(gpu, entry);
      }
    }
    return [...likeness].map(([gpu, { score, rank }]) => ({ gpu, other, score, rank, place }));
  });
  return pairs.sort((a, b) => b.score - a.score || a.rank - b.rank || a.place - b.place);
}

function podKey(pool: string, { profile, start, service, batch = 1, processes = 1 }: StateInstance): string {
  return JSON.stringify(service === null ? [pool, profile, start] : [pool, profile, start, service, batch, processes]);
}

function countKept(matches: readonly MatchedGpu[]): number {
  return matches.reduce((sum, { wanted, physical }) => {
    const before = new Set(physical?.instances.map((instance) => podKey(physical.pool, instance)));
    const same = wanted.instances.filter((instance) => instance.service !== null && before.has(podKey(wanted.pool, instance)));
    return sum + same.length;
  }, 0);
}
