import type { Fact, GpuModel, MediaEngines, MigProfile, ProfileVariant } from '../gpu-model.js';
import type { Evidence } from './evidence.js';
import { fullProfile } from './full-profile.js';

/** Where instances of 1, 2 and 4 slices may start on every 4-slice GPU. */
const startsBySlices = { 1: [0, 1, 2, 3], 2: [0, 2], 4: [0] } as const;

/** One profile of a 4-slice product. */
export interface FourSliceProfileRow {
  readonly name: string;
  /** Compute and memory slices alike. */
  readonly slices: 1 | 2 | 4;
  readonly variant: ProfileVariant;
  readonly maxCount: number;
  readonly memoryMiB: Fact<number>;
  readonly sms: Fact<number>;
  readonly engines: MediaEngines;
}

/** One 4-slice product. */
export interface FourSliceRow {
  readonly name: string;
  readonly products: readonly string[];
  readonly pciIds: readonly string[];
  readonly minimumDriver?: Fact<string>;
  readonly remarks?: readonly string[];
  readonly placement: Evidence;
  /** Memory and multiprocessors of the whole GPU with MIG off. */
  readonly totalMiB: Fact<number>;
  readonly sms: Fact<number>;
  readonly engines: MediaEngines;
  /** Smallest to largest. */
  readonly profiles: readonly FourSliceProfileRow[];
}

/** Builds the GPU model of a 4-slice product. */
export function fourSliceModel(row: FourSliceRow): GpuModel {
  const { profiles, placement, totalMiB, sms, remarks = [], ...facts } = row;
  return {
    ...facts,
    computeSlices: 4,
    memorySlices: 4,
    profiles: profiles.map(
      ({ slices, ...profile }): MigProfile => ({
        ...profile,
        computeSlices: slices,
        memorySlices: slices,
        starts: startsBySlices[slices],
        placement,
      }),
    ),
    full: fullProfile({ computeSlices: 4, memorySlices: 4, totalMiB, sms, engines: row.engines }),
    remarks,
  };
}
