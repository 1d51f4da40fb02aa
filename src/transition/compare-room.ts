import type { StateGpu } from '../demand/documents/state.js';
import type { Pool, Workload } from '../demand/workload.js';
import { findProfile } from '../gpu/find-profile.js';
import type { MigProfile, PlacedProfile } from '../gpu/gpu-model.js';
import { undominatedLayouts } from '../gpu/layouts.js';

/** How many instances of a profile could be added to a pool's GPUs, if no others were. */
export interface RoomChange {
  readonly pool: string;
  readonly profile: string;
  readonly before: number;
  readonly after: number;
}

/**
 * What a change makes room for, by pool and profile, on all GPUs that either side has: one that a side does not list is empty
 * there. Idle instances count as free; those with a pod or of others do not.
 */
export function compareRoom(before: readonly StateGpu[], after: readonly StateGpu[], { pools }: Workload): RoomChange[] {
  const all = new Map([...after, ...before].map((gpu) => [gpu.id, gpu]));
  const sides = [before, after].map((gpus) => new Map(gpus.map((gpu) => [gpu.id, gpu])));
  return pools.flatMap((pool) => {
    const own = [...all.values()].filter((gpu) => gpu.pool === pool.name && gpu.reserved !== true);
    return pool.profiles.map((profile): RoomChange => {
      const [was = 0, is = 0] = sides.map((gpus) => own.reduce((sum, { id }) => sum + countMore(profile, gpus.get(id), pool), 0));
      return { pool: pool.name, profile: profile.name, before: was, after: is };
    });
  });
}

function countMore(profile: MigProfile, gpu: StateGpu | undefined, pool: Pool): number {
  const occupied = (gpu?.instances ?? []).flatMap(({ profile: name, start, service, reserved }): PlacedProfile[] => {
    const found = findProfile(pool.gpu, name);
    return found.kind === 'found' && (service !== null || reserved === true) ? [{ profile: found.profile, start }] : [];
  });
  return undominatedLayouts(pool.gpu, [profile], { rules: pool, occupied })[0]?.counts[0] ?? 0;
}
