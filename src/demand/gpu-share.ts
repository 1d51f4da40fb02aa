import type { GpuModel, MigProfile } from '../gpu/gpu-model.js';

/** The share of a GPU that a profile takes, (0, 1]: by compute or memory slices, whichever it takes more of. */
export function gpuShare(gpu: GpuModel, profile: MigProfile): number {
  return Math.max(profile.computeSlices / gpu.computeSlices, profile.memorySlices / gpu.memorySlices);
}
