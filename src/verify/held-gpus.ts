import type { StateDocument, StateGpu } from '../demand/documents/state.js';
import type { Pool } from '../demand/workload.js';
import { findProfile } from '../gpu/find-profile.js';

/** What others hold of a physical GPU: all of it, or instances named as `1g.10gb@4`, ascending; none where it is free. */
export type Holding = { readonly kind: 'whole' } | { readonly kind: 'part'; readonly instances: readonly string[] };

/** What others hold of a GPU of a pool. Instances that the pool's GPU model does not know make it theirs as a whole. */
export function findHolding(gpu: StateGpu, pool: Pool): Holding {
  const reserved = gpu.instances.filter((instance) => instance.reserved === true);
  const found = reserved.map(({ profile, start }) => ({ start, search: findProfile(pool.gpu, profile) }));
  if (gpu.reserved === true || found.some(({ search }) => search.kind === 'unknown')) return { kind: 'whole' };
  const instances = found.flatMap(({ search, start }) => (search.kind === 'found' ? [`${search.profile.name}@${start}`] : []));
  return { kind: 'part', instances: instances.sort() };
}

/** GPUs of a pool that others hold as a whole, and those that they hold in part. */
export function countHeld(pool: Pool, current: StateDocument | undefined): { readonly whole: number; readonly part: number } {
  const held = (current?.gpus ?? []).filter((gpu) => gpu.pool === pool.name).map((gpu) => findHolding(gpu, pool));
  return {
    whole: held.filter(({ kind }) => kind === 'whole').length,
    part: held.filter((holding) => holding.kind === 'part' && holding.instances.length > 0).length,
  };
}
