/** Bins are the upper 16 bits of a 32-bit float: 128 to each doubling, so a bin is less than 0.8 % wide and needs no logarithm. */
const binCount = 2 ** 15;

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** Counts of latencies, ms, with what cannot be read from them. Only bins `from` … `from + bins.length − 1` are kept. */
export interface LatencyCounts {
  readonly from: number;
  readonly bins: Float64Array;
  readonly count: number;
  readonly sumMs: number;
  readonly maxMs: number;
  /** Requests within the limit. */
  readonly within: number;
}

/** Collects latencies in a loop that allocates nothing. */
export class LatencyHistogram {
  readonly #bins = new Uint32Array(binCount);
  /** Count, sum, largest, within the limit. */
  readonly #sums = new Float64Array(4);
  readonly #float = new Float32Array(1);
  readonly #bits = new Uint32Array(this.#float.buffer);
  /** Latencies up to this count as within the limit; it may change between batches. */
  limitMs: number;

  constructor(limitMs: number) {
    this.limitMs = limitMs;
  }

  /** A batch that ends at `endMs` with the requests that arrived at `queue[first]` and after, oldest first, round `mask`. */
  recordBatch(endMs: number, queue: Float64Array, first: number, count: number, mask: number): void {
    const bins = this.#bins;
    const limitMs = this.limitMs;
    let sum = 0;
    let within = 0;
    for (let i = 0; i < count; i++) {
      const latencyMs = endMs - (queue[(first + i) & mask] as number);
      this.#float[0] = latencyMs;
      const bin = (this.#bits[0] as number) >>> 16;
      bins[bin] = (bins[bin] as number) + 1;
      sum += latencyMs;
      if (latencyMs <= limitMs) within++;
    }
    const sums = this.#sums;
    const oldestMs = endMs - (queue[first & mask] as number);
    sums[0] = (sums[0] as number) + count;
    sums[1] = (sums[1] as number) + sum;
    if (oldestMs > (sums[2] as number)) sums[2] = oldestMs;
    sums[3] = (sums[3] as number) + within;
  }

  /** What was collected since the last call; starts anew. */
  take(): LatencyCounts {
    let from = 0;
    let to = binCount;
    while (from < to && this.#bins[from] === 0) from++;
    while (to > from && this.#bins[to - 1] === 0) to--;
    const bins = Float64Array.from(this.#bins.subarray(from, to));
    const [count, sumMs, maxMs, within] = this.#sums as unknown as [number, number, number, number];
    this.#bins.fill(0, from, to);
    this.#sums.fill(0);
    return { from, bins, count, sumMs, maxMs, within };
  }
}

/** All latencies of several collections together. */
export function mergeCounts(parts: readonly LatencyCounts[]): LatencyCounts {
  const filled = parts.filter(({ count }) => count > 0);
  const from = Math.min(binCount, ...filled.map((part) => part.from));
  const to = Math.max(from, ...filled.map((part) => part.from + part.bins.length));
  const bins = new Float64Array(to - from);
  for (const part of filled) {
    for (const [i, count] of part.bins.entries()) bins[part.from - from + i] = (bins[part.from - from + i] as number) + count;
  }
  const add = (key: 'count' | 'sumMs' | 'within') => parts.reduce((sum, part) => sum + part[key], 0);
  return {
    from,
    bins,
    count: add('count'),
    sumMs: add('sumMs'),
    maxMs: Math.max(0, ...parts.map(({ maxMs }) => maxMs)),
    within: add('within'),
  };
}

/** The latency, ms, that a share `q` of the requests does not exceed, interpolated within its bin; NaN without requests. */
export function quantileOf({ from, bins, count, maxMs }: LatencyCounts, q: number): number {
  if (count === 0) return Number.NaN;
  const wanted = q * count;
  let below = 0;
  for (const [i, inBin] of bins.entries()) {
    if (below + inBin >= wanted && inBin > 0) {
      const low = binStart(from + i);
      return Math.min(maxMs, low + ((wanted - below) / inBin) * (binStart(from + i + 1) - low));
    }
    below += inBin;
  }
  return maxMs;
}

/** Lower edge of a bin, ms. */
export function binStart(bin: number): number {
  bits[0] = bin << 16;
  return float[0] as number;
}
