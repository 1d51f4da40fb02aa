import type { Fact, MediaEngines, MigProfile } from '../gpu-model.js';

/** The whole GPU with MIG off, as one instance that covers all of its slices. */
export function fullProfile(gpu: {
  readonly computeSlices: number;
  readonly memorySlices: number;
  readonly totalMiB: Fact<number>;
  readonly sms?: Fact<number> | undefined;
  readonly engines: MediaEngines;
}): MigProfile {
  return {
    name: 'full',
    variant: 'full',
    computeSlices: gpu.computeSlices,
    memorySlices: gpu.memorySlices,
    starts: [0],
    maxCount: 1,
    memoryMiB: gpu.totalMiB,
    ...(gpu.sms === undefined ? {} : { sms: gpu.sms }),
    engines: gpu.engines,
    placement: { certainty: 'certain', source: 'a GPU without MIG is one instance' },
  };
}
