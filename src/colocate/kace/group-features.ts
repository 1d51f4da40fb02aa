import type { MeasuredWorkload } from '../measured-workload.js';

/** The ten features of KACE (Han et al., SoCC'24), in a fixed order. */
export const summedFeatures = [
  'threads',
  'computePercent',
  'dramPercent',
  'memoryPercent',
  'registers',
  'sharedMemoryBytes',
  'exclusiveRate',
  'memoryGiB',
] as const satisfies readonly (keyof MeasuredWorkload)[];
export const averagedFeatures = ['smUtilPercent', 'memoryUtilPercent'] as const satisfies readonly (keyof MeasuredWorkload)[];

/** The features of a group: sums over its members, and the means of the two utilisations. */
export function groupFeatures(members: readonly MeasuredWorkload[]): number[] {
  const sum = (key: (typeof summedFeatures)[number] | (typeof averagedFeatures)[number]) =>
    members.reduce((total, member) => total + member[key], 0);
  return [...summedFeatures.map(sum), ...averagedFeatures.map((key) => sum(key) / members.length)];
}
