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
  const sums = { seconds: 0, threads: 0, compute: 0, dram: 0, memory: 0, registers: 0, shared: 0 };
  return {
    add(launch) {
      const missing = launchParts.filter((part) => launch[part] === undefined);
      if (missing.length > 0) return missing;
      const complete = launch as Required<KernelLaunch>;
      const seconds = complete.durationSeconds;
      const threads = complete.gridSize * complete.blockSize;
      launches++;
      sums.seconds += seconds;
      sums.threads += seconds * threads;
      sums.compute += seconds * complete.computePercent;
      sums.dram += seconds * complete.dramPercent;
      sums.memory += seconds * complete.memoryPercent;
      sums.registers += seconds * threads * complete.registersPerThread;
      sums.shared += seconds * complete.gridSize * complete.sharedMemoryPerBlock;
      return [];
    },
    finish() {
      if (launches === 0 || sums.seconds === 0) return undefined;
      const mean = (sum: number) => sum / sums.seconds;
      return {
        launches,
        kernelSeconds: sums.seconds,
        threads: mean(sums.threads),
        computePercent: mean(sums.compute),
        dramPercent: mean(sums.dram),
        memoryPercent: mean(sums.memory),
        registers: mean(sums.registers),
        sharedMemoryBytes: mean(sums.shared),
      };
    },
  };
}
