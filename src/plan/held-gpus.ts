import type { StateDocument, StateGpu } from '../demand/documents/state.js';
import type { Pool, Workload } from '../demand/workload.js';
import { findProfile } from '../gpu/find-profile.js';
import type { GpuModel, Layout, PlacedProfile } from '../gpu/gpu-model.js';

/** GPUs that others hold, which a plan must leave alone. */
export interface HeldGpus {
  /** GPUs of each pool that are held as a whole. */
  readonly whole: readonly number[];
  /** GPUs on which others hold some instances, and what they hold. */
  readonly partial: readonly { readonly id: string; readonly pool: number; readonly occupied: Layout }[];
}

/**
 * What others hold in a state. GPUs of pools that the workload does not name play no part; a GPU whose instances of
 * others have profiles that the pool's model does not know counts as held whole.
 */
export function findHeldGpus(workload: Workload, current: StateDocument | undefined): HeldGpus {
  const whole = workload.pools.map(() => 0);
  const partial: HeldGpus['partial'][number][] = [];
  for (const gpu of current?.gpus ?? []) {
    const pool = workload.pools.findIndex(({ name }) => name === gpu.pool);
    if (pool < 0) continue;
    const occupied = placeReserved(gpu, (workload.pools[pool] as Pool).gpu);
    if (gpu.reserved === true || occupied === undefined) (whole[pool] as number)++;
    else if (occupied.length > 0) partial.push({ id: gpu.id, pool, occupied });
  }
  return { whole, partial };
}

function placeReserved(gpu: StateGpu, model: GpuModel): Layout | undefined {
  const placed: PlacedProfile[] = [];
  for (const { profile: name, start, reserved } of gpu.instances) {
    if (reserved !== true) continue;
    const found = findProfile(model, name);
    if (found.kind !== 'found') return undefined;
    placed.push({ profile: found.profile, start });
  }
  return placed.sort((a, b) => a.start - b.start);
}

/** Ids of GPUs on which others hold anything: no other GPU of a plan may be called so. */
export function listTakenIds(current: StateDocument | undefined): ReadonlySet<string> {
  const taken = (current?.gpus ?? []).filter((gpu) => gpu.reserved === true || gpu.instances.some(({ reserved }) => reserved === true));
  return new Set(taken.map(({ id }) => id));
}
