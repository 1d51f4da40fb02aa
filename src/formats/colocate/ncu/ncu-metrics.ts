import type { KernelLaunch } from '../../../colocate/kernel-metrics.js';

/** A metric of Nsight Compute that is read: its part of a launch and what kind of quantity it is. */
export interface NcuMetric {
  readonly part: keyof KernelLaunch;
  readonly quantity: 'time' | 'percent' | 'bytes' | 'count';
}

/**
 * Metrics of the details page by section and name. `Memory Throughput` and block and grid sizes also stand in other places
 * with other meanings, so the section counts.
 */
export const detailsMetrics: Readonly<Record<string, Readonly<Record<string, NcuMetric>>>> = {
  'GPU Speed Of Light Throughput': {
    Duration: { part: 'durationSeconds', quantity: 'time' },
    'Compute (SM) Throughput': { part: 'computePercent', quantity: 'percent' },
    'DRAM Throughput': { part: 'dramPercent', quantity: 'percent' },
    'Memory Throughput': { part: 'memoryPercent', quantity: 'percent' },
  },
  'Launch Statistics': {
    'Registers Per Thread': { part: 'registersPerThread', quantity: 'count' },
    'Static Shared Memory Per Block': { part: 'sharedMemoryPerBlock', quantity: 'bytes' },
    'Block Size': { part: 'blockSize', quantity: 'count' },
    'Grid Size': { part: 'gridSize', quantity: 'count' },
  },
};

/** Metrics of the raw page by column. */
export const rawMetrics: Readonly<Record<string, NcuMetric>> = {
  'gpu__time_duration.sum': { part: 'durationSeconds', quantity: 'time' },
  'sm__throughput.avg.pct_of_peak_sustained_elapsed': { part: 'computePercent', quantity: 'percent' },
  'dram__throughput.avg.pct_of_peak_sustained_elapsed': { part: 'dramPercent', quantity: 'percent' },
  'gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed': { part: 'dramPercent', quantity: 'percent' },
  'gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed': { part: 'memoryPercent', quantity: 'percent' },
  launch__registers_per_thread: { part: 'registersPerThread', quantity: 'count' },
  launch__shared_mem_per_block_static: { part: 'sharedMemoryPerBlock', quantity: 'bytes' },
  launch__block_size: { part: 'blockSize', quantity: 'count' },
  launch__grid_size: { part: 'gridSize', quantity: 'count' },
};

const perBlock = (units: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(units).flatMap(([unit, factor]) => [unit, `${unit}/block`].map((name) => [name, factor])));

/** Factors to seconds, percent, bytes and plain counts, by the unit as reports write it (in lower case). */
const factors: Readonly<Record<NcuMetric['quantity'], Readonly<Record<string, number>>>> = {
  time: {
    ns: 1e-9,
    nsecond: 1e-9,
    us: 1e-6,
    µs: 1e-6,
    usecond: 1e-6,
    ms: 1e-3,
    msecond: 1e-3,
    s: 1,
    second: 1,
  },
  percent: { '%': 1 },
  bytes: perBlock({ byte: 1, kbyte: 1e3, mbyte: 1e6, b: 1, kib: 1024, kb: 1e3 }),
  count: { '': 1, 'register/thread': 1, block: 1, thread: 1, 'thread/block': 1, registers: 1, blocks: 1, threads: 1 },
};

/** The factor that brings a value to the unit of its part; undefined for a unit that is not known. */
export function unitFactor({ quantity }: NcuMetric, unit: string): number | undefined {
  return factors[quantity][unit.trim().toLowerCase()];
}
