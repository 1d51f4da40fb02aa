import type { Pool } from '../../demand/workload.js';
import type { MigProfile } from '../../gpu/gpu-model.js';
import type { Cut } from '../list-cuts.js';
import type { PlanRequest } from './strategy.js';

/** Names the profiles, one a slot, into which a fixed strategy cuts each GPU of a pool; undefined when it cannot. */
export type LayoutRecipe = (pool: Pool) => readonly MigProfile[] | undefined;

/**
 * The cuts with one layout each: the one that a recipe names. Pools that cannot be cut so, and GPUs that others use in part,
 * are left out. Undefined when no pool remains.
 */
export function fixLayouts({ workload, cuts, finder }: PlanRequest, recipe: LayoutRecipe): readonly Cut[] | undefined {
  const fixed = cuts.map((cut): Cut => {
    const wanted = cut.occupied.length === 0 ? recipe(workload.pools[cut.pool] as Pool) : undefined;
    const counts = new Int32Array(finder.index.sizes.length);
    const { profiles } = workload.pools[cut.pool] as Pool;
    for (const profile of wanted ?? []) {
      const size = finder.index.sizes.findIndex((other) => other.pool === cut.pool && profiles[other.profile] === profile);
      (counts[size] as number)++;
    }
    const layout = cut.layouts.find((other) => other.counts.join() === counts.join());
    return wanted === undefined || layout === undefined ? { ...cut, limit: 0 } : { ...cut, layouts: [layout] };
  });
  return fixed.some(({ limit }) => limit > 0) ? fixed : undefined;
}

/** The plain profiles of so many compute slices each; undefined when the pool lacks one. */
export function plainProfiles({ profiles }: Pool, slices: readonly number[]): readonly MigProfile[] | undefined {
  const found = slices.map((count) => profiles.find(({ computeSlices, variant }) => computeSlices === count && variant === 'base'));
  return found.every((profile) => profile !== undefined) ? found : undefined;
}
