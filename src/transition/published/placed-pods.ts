import type { MigProfile, PlacedProfile } from '../../gpu/gpu-model.js';
import { sliceMask } from '../../gpu/slice-mask.js';
import type { DraftPod } from '../draft-step.js';
import type { GpuTimeline } from '../gpu-timeline.js';

/** A pod and the place it runs at. */
export interface PlacedPod {
  readonly gpu: GpuTimeline;
  readonly placed: PlacedProfile;
  readonly pod: DraftPod;
}

/** Pods with equal keys stand in for each other: same service, pool, profile, batch and processes. */
export function podKey({ name, batch, processes }: DraftPod, pool: number, profile: MigProfile): string {
  return JSON.stringify([name, pool, profile.name, batch, processes]);
}

/** Where on a GPU an instance of a profile can be had without stopping a pod; undefined when nowhere. Same instances that are idle come first. */
export function findRoom(gpu: GpuTimeline, profile: MigProfile): PlacedProfile | undefined {
  const idle = gpu.instances.find((one) => one.profile.name === profile.name && one.pod === undefined && !one.reserved);
  if (idle !== undefined) return { profile: idle.profile, start: idle.start };
  const start = profile.starts.find((candidate) => isFree(gpu, { profile, start: candidate }));
  return start === undefined ? undefined : { profile, start };
}

/** Whether no pod and nothing of others is in these slices. */
export function isFree(gpu: GpuTimeline, { profile, start }: PlacedProfile): boolean {
  const mask = sliceMask(profile, start);
  return gpu.instances.every((one) => (one.pod === undefined && !one.reserved) || (sliceMask(one.profile, one.start) & mask) === 0);
}

/** Memory slices without a pod. */
export function countFreeSlices(gpu: GpuTimeline, memorySlices: number): number {
  return gpu.instances.reduce(
    (left, { profile, pod, reserved }) => (pod === undefined && !reserved ? left : left - profile.memorySlices),
    memorySlices,
  );
}
