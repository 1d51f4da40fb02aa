import type { MigProfile } from '../../gpu/gpu-model.js';
import type { DraftPod } from '../draft-step.js';
import type { GpuTimeline } from '../gpu-timeline.js';
import { countFreeSlices, findRoom, type PlacedPod, podKey } from './placed-pods.js';

/** A pod that the plan wants. */
export interface WantedPod {
  readonly pool: number;
  readonly profile: MigProfile;
  readonly pod: DraftPod;
}

/** The GPUs on which pods can be placed. */
export interface GpuSupply {
  readonly gpus: readonly GpuTimeline[];
  memorySlicesOf(pool: number): number;
  addGpu(pool: number): GpuTimeline;
}

/**
 * The exchange phase of MIG-serving's controller (arXiv 2109.11067): pods that the plan has at the same service, size, batch
 * and processes stay for now; what is missing is started beside them, in free slots or on extra GPUs (best fit, largest
 * first), in wave 1; then what is too much is stopped. Gives the pods that run afterwards.
 */
export function exchange(running: readonly PlacedPod[], wanted: readonly WantedPod[], supply: GpuSupply): readonly PlacedPod[] {
  const missing = new Map<string, number>();
  for (const { pod, pool, profile } of wanted) {
    const key = podKey(pod, pool, profile);
    missing.set(key, (missing.get(key) ?? 0) + 1);
  }
  const kept: PlacedPod[] = [];
  const surplus: PlacedPod[] = [];
  for (const one of running) {
    const key = podKey(one.pod, one.gpu.pool, one.placed.profile);
    const left = missing.get(key) ?? 0;
    missing.set(key, left - 1);
    (left > 0 ? kept : surplus).push(one);
  }
  const additions = wanted.filter(({ pod, pool, profile }) => {
    const key = podKey(pod, pool, profile);
    const left = missing.get(key) ?? 0;
    if (left <= 0) return false;
    missing.set(key, left - 1);
    return true;
  });
  const started = additions
    .toSorted((a, b) => b.profile.memorySlices - a.profile.memorySlices || b.pod.capacityRps - a.pod.capacityRps)
    .map((addition) => startBestFit(addition, supply));
  for (const { gpu, placed } of surplus.toSorted((a, b) => a.pod.capacityRps - b.pod.capacityRps)) gpu.stopPod(placed.start, 2);
  return [...kept, ...started];
}

function startBestFit({ pool, profile, pod }: WantedPod, supply: GpuSupply): PlacedPod {
  let best: PlacedPod | undefined;
  let least = Infinity;
  for (const gpu of supply.gpus) {
    if (gpu.pool !== pool) continue;
    const free = countFreeSlices(gpu, supply.memorySlicesOf(pool));
    const placed = free < least ? findRoom(gpu, profile) : undefined;
    if (placed === undefined) continue;
    best = { gpu, placed, pod };
    least = free;
  }
  if (best === undefined) {
    const gpu = supply.addGpu(pool);
    best = { gpu, placed: findRoom(gpu, profile) ?? { profile, start: 0 }, pod };
  }
  best.gpu.startPod(best.placed, pod, 1);
  return best;
}
