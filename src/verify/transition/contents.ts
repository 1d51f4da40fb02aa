import type { Pool } from '../../demand/workload.js';
import type { MigProfile } from '../../gpu/gpu-model.js';
import { findKnownProfile, type KnownGpu, type PodSetting, podOf, type TransitionFacts } from './transition-facts.js';

/** A pod on an instance. */
export interface Pod extends PodSetting {
  /** What it adds to the capacity of its service that the floor counts, while it is ready, requests per second. */
  readonly capacityRps: number;
  /** Its throughput, requests per second; undefined when nobody knows. */
  readonly throughputRps: number | undefined;
  /** Whether it ran at the start and never stopped. */
  readonly kept: boolean;
  phase: 'starting' | 'ready' | 'stopping';
}

/** An instance that holds its slices. */
export interface Instance {
  readonly profile: MigProfile;
  readonly start: number;
  readonly reserved: boolean;
  phase: 'creating' | 'up' | 'deleting';
  pod: Pod | undefined;
}

/** What is on a GPU at one moment; changed in place by the replay. */
export interface GpuContents {
  readonly known: KnownGpu;
  readonly pool: Pool;
  readonly instances: Map<number, Instance>;
  wiping: boolean;
}

/** The GPUs that may be changed, as they are at the start: those of the workload's pools that are not reserved as a whole. */
export function fillContents(facts: TransitionFacts): ReadonlyMap<string, GpuContents> {
  const contents = new Map<string, GpuContents>();
  for (const known of facts.gpus.values()) {
    const { id, pool, gpu, before } = known;
    if (pool === undefined || gpu.reserved === true) continue;
    const instances = new Map<number, Instance>();
    for (const stated of before) {
      const profile = findKnownProfile(pool, stated.profile);
      if (profile === undefined) continue;
      const { start, reserved = false } = stated;
      const setting = reserved ? undefined : podOf(stated);
      const pod = setting && runningPod(facts, pool, profile.name, setting, stated.capacityRps);
      instances.set(start, { profile, start, reserved, phase: 'up', pod });
    }
    contents.set(id, { known, pool, instances, wiping: false });
  }
  return contents;
}

function runningPod(facts: TransitionFacts, pool: Pool, profile: string, setting: PodSetting, statedRps: number | undefined): Pod {
  const throughputRps = facts.findRow(pool, profile, setting)?.row.throughputRps ?? statedRps;
  return { ...setting, capacityRps: facts.capacityOf(pool, profile, setting, statedRps), throughputRps, kept: true, phase: 'ready' };
}

/** Capacity of ready pods by service, requests per second. */
export function sumCapacities(contents: ReadonlyMap<string, GpuContents>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { instances } of contents.values()) {
    for (const { pod } of instances.values()) {
      if (pod?.phase === 'ready') sums.set(pod.service, (sums.get(pod.service) ?? 0) + pod.capacityRps);
    }
  }
  return sums;
}

/** Whether a GPU counts as used: it is being wiped, or has an instance that is not reserved. */
export function isUsed({ instances, wiping }: GpuContents): boolean {
  return wiping || [...instances.values()].some(({ reserved }) => !reserved);
}
