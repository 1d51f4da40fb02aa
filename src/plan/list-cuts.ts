import type { Size } from '../demand/operating-point.js';
import type { Pool, Workload } from '../demand/workload.js';
import type { Layout, PlacedProfile } from '../gpu/gpu-model.js';
import { undominatedLayouts } from '../gpu/layouts.js';
import type { HeldGpus } from './held-gpus.js';

/** One way to cut a GPU: a placed slot for each instance it can hold. */
export interface CutLayout {
  readonly slots: readonly { readonly placed: PlacedProfile; readonly size: number }[];
  /** Slots of each size. */
  readonly counts: Int32Array;
}

/** GPUs of one pool that can be cut alike. */
export interface Cut {
  readonly pool: number;
  /** GPUs there are; Infinity when not limited. */
  readonly limit: number;
  readonly layouts: readonly CutLayout[];
  /** Instances of others on each of these GPUs. */
  readonly occupied: Layout;
  /** Ids of these GPUs where they are known (GPUs that others use in part). */
  readonly ids: readonly string[];
}

/** How the GPUs of a workload's pools can be cut: the empty ones of each pool first, then those that others hold in part. */
export function listCuts(workload: Workload, sizes: readonly Size[], held: HeldGpus): readonly Cut[] {
  const empty = workload.pools.map((pool, g): Cut => {
    const partial = held.partial.filter((gpu) => gpu.pool === g).length;
    const limit = Math.max(0, pool.count - (held.whole[g] as number) - partial);
    return { pool: g, limit, layouts: listLayouts(pool, g, sizes, []), occupied: [], ids: [] };
  });
  const partial = new Map<string, { pool: number; occupied: Layout; ids: string[] }>();
  for (const { id, pool, occupied } of held.partial) {
    const key = JSON.stringify([pool, occupied.map(({ profile, start }) => [profile.name, start])]);
    const known = partial.get(key);
    if (known === undefined) partial.set(key, { pool, occupied, ids: [id] });
    else known.ids.push(id);
  }
  const shared = [...partial.values()].map((cut): Cut => {
    const layouts = listLayouts(workload.pools[cut.pool] as Pool, cut.pool, sizes, cut.occupied);
    return { ...cut, limit: cut.ids.length, layouts };
  });
  return [...empty, ...shared];
}

function listLayouts(pool: Pool, g: number, sizes: readonly Size[], occupied: Layout): CutLayout[] {
  return undominatedLayouts(pool.gpu, pool.profiles, { rules: pool, occupied }).map(({ layout }) => {
    const counts = new Int32Array(sizes.length);
    const slots = layout.map((placed) => {
      const profile = pool.profiles.findIndex(({ name }) => name === placed.profile.name);
      const size = sizes.findIndex((other) => other.pool === g && other.profile === profile);
      (counts[size] as number)++;
      return { placed, size };
    });
    return { slots, counts };
  });
}
