import type { MeasuredWorkload } from './measured-workload.js';

/** What members of a group compete for, with what each asks of it when alone. */
export interface ContendedResource {
  readonly resource: 'SM throughput' | 'memory bandwidth' | 'memory pipelines' | 'time on the SMs';
  /** Percent of the peak, in the order of the members. */
  readonly percents: readonly number[];
  readonly totalPercent: number;
}

const resources = [
  ['SM throughput', 'computePercent'],
  ['memory bandwidth', 'dramPercent'],
  ['memory pipelines', 'memoryPercent'],
  ['time on the SMs', 'smUtilPercent'],
] as const;

/** Every resource of which the members together ask more than there is, the most wanted first. */
export function contendedResources(members: readonly MeasuredWorkload[]): readonly ContendedResource[] {
  return resources
    .map(([resource, key]) => {
      const percents = members.map((member) => member[key]);
      return { resource, percents, totalPercent: percents.reduce((sum, percent) => sum + percent, 0) };
    })
    .filter(({ totalPercent }) => members.length > 1 && totalPercent > 100)
    .toSorted((a, b) => b.totalPercent - a.totalPercent);
}
