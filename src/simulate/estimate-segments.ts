import { type LatencyCounts, mergeCounts, quantileOf } from './latency-histogram.js';
import type { Estimate } from './service-outcome.js';

/** Segments into which a run is cut: their spread tells how well the whole is known, however much successive requests depend on each other. */
export const segmentCount = 20;

/** Student's t for 19 degrees of freedom: two-sided 95 %, and 99.9 % for decisions that end a run. */
const t95 = 2.093;
const t999 = 3.883;

/** Estimates from segments of equal length. */
export class SegmentEstimates {
  readonly all: LatencyCounts;
  readonly #segments: readonly LatencyCounts[];

  constructor(segments: readonly LatencyCounts[]) {
    this.#segments = segments.filter(({ count }) => count > 0);
    this.all = mergeCounts(segments);
  }

  /** Latency that a share `q` of the requests does not exceed, ms. */
  quantileMs(q: number): Estimate {
    return { value: quantileOf(this.all, q), halfWidth: t95 * this.#standardError((part) => quantileOf(part, q)) };
  }

  meanMs(): Estimate {
    return { value: this.all.sumMs / this.all.count, halfWidth: t95 * this.#standardError((part) => part.sumMs / part.count) };
  }

  /** Share of the requests within the limit. */
  within(): Estimate {
    return { value: this.all.within / this.all.count, halfWidth: t95 * this.#standardError((part) => part.within / part.count) };
  }

  /** Whether the share within the limit is clearly on one side of `share`: wrong once in a thousand times. */
  isClearlyNot(share: number): boolean {
    const distance = Math.abs(this.all.within / this.all.count - share);
    return distance > t999 * this.#standardError((part) => part.within / part.count);
  }

  #standardError(read: (part: LatencyCounts) => number): number {
    const values = this.#segments.map(read);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return values.length < 2 ? Number.NaN : Math.sqrt(squares / (values.length - 1) / values.length);
  }
}
