/** What Nsight Compute tells of one kernel launch. A number that a report lacks is absent. */
export interface KernelLaunch {
  readonly durationSeconds?: number;
  readonly computePercent?: number;
  readonly dramPercent?: number;
  readonly memoryPercent?: number;
  readonly registersPerThread?: number;
  readonly sharedMemoryPerBlock?: number;
  /** Threads in a block, blocks in the grid. */
  readonly blockSize?: number;
  readonly gridSize?: number;
}

/** The kernel metrics of a workload: means over launches, weighted by their duration. */
export interface KernelMetrics {
  readonly launches: number;
  readonly kernelSeconds: number;
  readonly threads: number;
  readonly computePercent: number;
  readonly dramPercent: number;
  readonly memoryPercent: number;
  readonly registers: number;
  readonly sharedMemoryBytes: number;
}

/** Parts of a launch without which it cannot be counted. */
export const launchParts = [
  'durationSeconds',
  'computePercent',
  'dramPercent',
  'memoryPercent',
  'registersPerThread',
  'sharedMemoryPerBlock',
  'blockSize',
  'gridSize',
] as const satisfies readonly (keyof KernelLaunch)[];

/** Adds up launches one by one, so that a report of any length takes no memory. */
export interface KernelTotals {
  /** Counts a launch; answers the parts that it lacks, in which case it is not counted. */
  add(launch: KernelLaunch): readonly (typeof launchParts)[number][];
  /** The means; undefined before the first launch that was counted. */
  finish(): KernelMetrics | undefined;
}

/** Starts adding up launches. */
export function createKernelTotals(): KernelTotals {
  let launches = 0;
  let kernelSeconds = 0;
  // Means and not sums, so that launches that are all alike give their own numbers, to the last digit.
  const means = { threads: 0, computePercent: 0, dramPercent: 0, memoryPercent: 0, registers: 0, sharedMemoryBytes: 0 };
  return {
    add(launch) {
      const missing = launchParts.filter((part) => launch[part] === undefined);
      if (missing.length > 0) return missing;
      const { durationSeconds, gridSize, blockSize, ...complete } = launch as Required<KernelLaunch>;
      const threads = gridSize * blockSize;
      launches++;
      kernelSeconds += durationSeconds;
      const part = kernelSeconds === 0 ? 0 : durationSeconds / kernelSeconds;
      const move = (key: keyof typeof means, value: number) => {
        means[key] += part * (value - means[key]);
      };
      move('threads', threads);
      move('computePercent', complete.computePercent);
      move('dramPercent', complete.dramPercent);
      move('memoryPercent', complete.memoryPercent);
      move('registers', threads * complete.registersPerThread);
      move('sharedMemoryBytes', gridSize * complete.sharedMemoryPerBlock);
      return [];
    },
    finish() {
      return launches === 0 || kernelSeconds === 0 ? undefined : { launches, kernelSeconds, ...means };
    },
  };
}
