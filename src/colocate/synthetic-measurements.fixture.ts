import { createSeededRandom } from '../demand/seeded-random.js';
import type { MeasuredGroup, MeasuredWorkload } from './measured-workload.js';

/** Synthetic workloads: families of four batch sizes, whose metrics grow with the batch. */
export function syntheticWorkloads(families = 3): readonly MeasuredWorkload[] {
  return Array.from({ length: families }, (_, f) => f).flatMap((f) =>
    [1, 4, 16].map((batchSize, b): MeasuredWorkload => {
      const busy = 0.3 + 0.2 * f + 0.1 * b;
      return {
        name: `model${f}-b${batchSize}`,
        family: `model${f} inference`,
        task: 'inference',
        batchSize,
        exclusiveRate: 400 / (f + 1) + 40 * b,
        threads: 1e5 * (f + 1) * (b + 1),
        computePercent: 80 * busy,
        dramPercent: 20 + 15 * f,
        memoryPercent: 60 * busy,
        registers: 3e6 * (f + 1) * (b + 1),
        sharedMemoryBytes: 1e4 * (b + 1),
        smUtilPercent: Math.min(100, 100 * busy),
        memoryUtilPercent: 30 * busy,
        memoryGiB: 2 + f + b,
      };
    }),
  );
}

/** Rates of a group under a made-up law: shares fall with the summed SM utilisation of the others. */
export function syntheticRates(members: readonly MeasuredWorkload[]): readonly number[] {
  return members.map((member, k) => {
    const others = members.reduce((sum, other, j) => sum + (j === k ? 0 : other.smUtilPercent / 100), 0);
    const own = member.smUtilPercent / 100;
    return member.exclusiveRate / (1 + 0.7 * own * others + 0.1 * others);
  });
}

/** Measured groups of two (and three) synthetic workloads with 2 % noise, drawn by a seed. */
export function syntheticGroups(workloads: readonly MeasuredWorkload[], count: number, seed = 1, size = 2): readonly MeasuredGroup[] {
  const random = createSeededRandom(seed);
  return Array.from({ length: count }, (_, k) => {
    const members = Array.from({ length: size }, () => workloads[random.below(workloads.length)] as MeasuredWorkload);
    const rates = syntheticRates(members).map((rate) => rate * (1 + 0.02 * random.normal()));
    return { id: `g${seed}-${size}-${k}`, members: members.map(({ name }) => name), rates };
  });
}
