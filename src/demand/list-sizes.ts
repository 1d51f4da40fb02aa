import type { MigProfile } from '../gpu/gpu-model.js';
import type { Size } from './operating-point.js';
import type { Pool, Workload } from './workload.js';

/** Every profile of every pool: pools in their order, profiles in the order of the pool. */
export function listSizes(workload: Pick<Workload, 'pools'>): Size[] {
  return workload.pools.flatMap((pool, poolIndex) => pool.profiles.map((_, profile) => ({ pool: poolIndex, profile })));
}

/** The pool and the profile that a size stands for. */
export function describeSize(workload: Pick<Workload, 'pools'>, size: Size): { readonly pool: Pool; readonly profile: MigProfile } {
  const pool = workload.pools[size.pool];
  const profile = pool?.profiles[size.profile];
  if (pool === undefined || profile === undefined) throw new RangeError(`no pool ${size.pool} with a profile ${size.profile}`);
  return { pool, profile };
}
