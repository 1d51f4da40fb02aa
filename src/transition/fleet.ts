import type { StateDocument, StateGpu } from '../demand/documents/state.js';
import type { PointFinder } from '../demand/operating-points.js';
import type { Pool, Workload } from '../demand/workload.js';
import { InlayError, type Problem, problem } from '../errors.js';
import { findGpuModel } from '../gpu/find-gpu-model.js';
import { findProfile } from '../gpu/find-profile.js';
import type { MigProfile } from '../gpu/gpu-model.js';
import { PodTypes } from './pod-types.js';

/** One instance that exists. */
export interface FleetInstance {
  readonly profile: MigProfile;
  readonly start: number;
  /** Index into the workload's sizes; -1 when the pool does not offer the profile. */
  readonly size: number;
  /** Index into the pod types; -1 when idle or reserved. */
  readonly type: number;
  /** Held by others. */
  readonly reserved: boolean;
}

/** One GPU that may be changed. */
export interface FleetGpu {
  readonly id: string;
  /** Index into the workload's pools. */
  readonly pool: number;
  readonly source: StateGpu;
  /** Ascending by start. */
  readonly instances: readonly FleetInstance[];
}

/** A state in the numbers of a workload. */
export interface Fleet {
  /** GPUs that are not reserved as a whole, by id. */
  readonly gpus: readonly FleetGpu[];
  readonly types: PodTypes;
  /** Rate each service of the workload was planned for before; 0 for a new one. */
  readonly oldRps: Float64Array;
  /** Ids that new GPUs must not take. */
  readonly ids: ReadonlySet<string>;
}

/**
 * Reads a state for a workload. Throws InlayError where a GPU that is not reserved belongs to no pool of the workload, is of
 * another model than its pool, or holds an instance that its model does not know.
 */
export function readFleet(state: StateDocument, workload: Workload, finder: PointFinder): Fleet {
  const problems: Problem[] = [];
  const types = new PodTypes(state, workload, finder);
  const gpus: FleetGpu[] = [];
  for (const [index, gpu] of state.gpus.entries()) {
    if (gpu.reserved === true) continue;
    const pool = workload.pools.findIndex(({ name }) => name === gpu.pool);
    const wrong = pool < 0 ? strangerGpu(gpu, index, workload) : otherModel(gpu, index, workload.pools[pool] as Pool);
    if (wrong !== undefined) problems.push(wrong);
    else gpus.push({ id: gpu.id, pool, source: gpu, instances: readInstances(gpu, `gpus[${index}]`, pool, workload, types, problems) });
  }
  if (problems.length > 0) throw new InlayError(problems);
  const oldRps = new Map(state.services.map(({ name, rateRps }) => [name, rateRps]));
  return {
    gpus: gpus.sort((a, b) => (a.id < b.id ? -1 : 1)),
    types,
    oldRps: Float64Array.from(workload.services, ({ name }) => oldRps.get(name) ?? 0),
    ids: new Set(state.gpus.map(({ id }) => id)),
  };
}

function readInstances(
  gpu: StateGpu,
  path: string,
  pool: number,
  workload: Workload,
  types: PodTypes,
  problems: Problem[],
): FleetInstance[] {
  const { gpu: model } = workload.pools[pool] as Pool;
  const instances = gpu.instances.flatMap((instance, i): FleetInstance[] => {
    const found = findProfile(model, instance.profile);
    if (found.kind === 'unknown') {
      problems.push(
        problem('UNKNOWN_PROFILE', {
          message: `${model.name} has no profile ${instance.profile}.`,
          path: `${path}.instances[${i}].profile`,
          received: instance.profile,
        }),
      );
      return [];
    }
    const { profile } = found;
    const size = types.sizeOf(pool, profile.name);
    const reserved = instance.reserved === true;
    const isPod = instance.service !== null && !reserved;
    const type = isPod ? types.indexOf(pool, size, { ...instance, service: instance.service as string, profile: profile.name }) : -1;
    return [{ profile, start: instance.start, size, type, reserved }];
  });
  return instances.sort((a, b) => a.start - b.start);
}

function strangerGpu(gpu: StateGpu, index: number, workload: Workload): Problem {
  return problem('STATE_OF_OTHER_POOL', {
    message: `GPU ${gpu.id} is of pool ${gpu.pool}, which the workload does not have.`,
    path: `gpus[${index}].pool`,
    expected: workload.pools.map(({ name }) => name).join(', '),
    received: gpu.pool,
  });
}

function otherModel(gpu: StateGpu, index: number, pool: Pool): Problem | undefined {
  const found = findGpuModel({ models: [pool.gpu] }, gpu.type);
  if (found.kind === 'found') return undefined;
  return problem('STATE_OF_OTHER_POOL', {
    message: `GPU ${gpu.id} of pool ${pool.name} is of another model than the pool.`,
    path: `gpus[${index}].type`,
    expected: pool.gpu.name,
    received: gpu.type,
  });
}
