import type { Fact } from '../gpu-model.js';
import { gibToMib, inferred } from './evidence.js';

/** Usable share of the nominal memory by memory slices (of 8): at or below every value read from A100, H100, H200, B200 and GB200. */
const usableShare: Readonly<Record<number, number>> = { 1: 0.84, 2: 0.91, 4: 0.97, 8: 0.98 };

/**
 * A careful guess of the usable memory, in MiB, of an instance of 1, 2, 4 or 8 of 8 memory slices. `nominalGiB` is the number in
 * the GPU's name, `totalMiB` what it has with MIG off. It stays below every value read from a device so far, so that a plan
 * never relies on memory that is not there.
 */
export function inferUsableMemory(nominalGiB: number, totalMiB: number, memorySlices: number): Fact<number> {
  const share = usableShare[memorySlices];
  if (share === undefined) throw new RangeError(`no share is known for ${memorySlices} memory slices`);
  const usable = Math.min(gibToMib(((nominalGiB * memorySlices) / 8) * share), totalMiB);
  return inferred(usable, 'lowest share of the nominal memory seen on A100, H100, H200, B200 and GB200');
}
