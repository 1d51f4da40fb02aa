/**
 * The covering knapsack: the cheapest set of instances that carries a service's demand.
 * It prices service plans and, summed over services, it is the lower limit on every plan.
 */

/** A cheapest cover and the proof of its cost. */
export interface Cover {
  /** Instances of each size, length = number of sizes. */
  readonly counts: Int32Array;
  readonly cost: number;
  /** No cover costs less; equals `cost` up to 1e-9 unless the node limit was hit. */
  readonly lower: number;
}

/** Relative difference below which two covers count as equally cheap: far under one GPU on any real fleet. */
const tieTolerance = 1e-9;
const nodeLimit = 300_000;
const unlimited = 2 ** 31 - 1;
/** How many instances of a size are looked at together for a cheaper replacement. */
const replacementDepth = 24;

/**
 * Searches covers for one service after another without allocating in between.
 * Depth-first over sizes by price per throughput; a branch is cut where even a fractional remainder is too dear.
 */
export class CoverSearch {
  readonly #sizeCount: number;
  readonly #size: Int32Array;
  readonly #price: Float64Array;
  readonly #rps: Float64Array;
  readonly #ratio: Float64Array;
  readonly #most: Int32Array;
  readonly #counts: Int32Array;
  readonly #best: Int32Array;
  #length = 0;
  #cheapest = 0;
  #minCount = 0;
  #bestCost = Infinity;
  #nodes = 0;
  #rootBound = 0;
  #found: { counts: Int32Array; cost: number }[] | undefined;
  #foundLimit = 0;
  #keep = 0;

  constructor(sizeCount: number) {
    this.#sizeCount = sizeCount;
    this.#size = new Int32Array(sizeCount);
    this.#price = new Float64Array(sizeCount);
    this.#rps = new Float64Array(sizeCount);
    this.#ratio = new Float64Array(sizeCount + 1);
    this.#most = new Int32Array(sizeCount);
    this.#counts = new Int32Array(sizeCount);
    this.#best = new Int32Array(sizeCount);
  }

  /**
   * The cheapest integer x ≥ 0 with Σ throughput·x ≥ demand and Σ x ≥ minCount.
   * `throughput` is read at `offset + k`; sizes with throughput 0 are not used. Needs at least one usable size.
   */
  cheapest(price: Float64Array, throughput: Float64Array, offset: number, demand: number, minCount: number): Cover {
    this.#prepare(price, throughput, offset, minCount);
    this.#limitCounts();
    this.#found = undefined;
    this.#search(demand);
    const counts = new Int32Array(this.#sizeCount);
    for (let j = 0; j < this.#length; j++) counts[this.#size[j] as number] = this.#best[j] as number;
    const cost = this.#bestCost;
    const lower = this.#nodes > nodeLimit ? Math.min(cost, this.#rootBound) : cost;
    return { counts, cost, lower: lower * (1 - tieTolerance) };
  }

  /**
   * Up to `keep` different covers of least cost among those that cost at most `limit`, none of which has an
   * instance to spare; cheapest first.
   */
  near(
    price: Float64Array,
    throughput: Float64Array,
    offset: number,
    demand: number,
    minCount: number,
    limit: number,
    keep: number,
  ): Cover[] {
    this.#prepare(price, throughput, offset, minCount);
    this.#most.fill(unlimited, 0, this.#length);
    this.#found = [];
    this.#foundLimit = limit;
    this.#keep = keep;
    this.#search(demand);
    const found = this.#found;
    this.#found = undefined;
    found.sort((a, b) => a.cost - b.cost);
    const different = minCount > 1 ? dropRepeated(found) : found;
    return different.slice(0, keep).map(({ counts, cost }) => ({ counts, cost, lower: cost }));
  }

  #prepare(price: Float64Array, throughput: Float64Array, offset: number, minCount: number): void {
    let length = 0;
    for (let k = 0; k < this.#sizeCount; k++) {
      const rps = throughput[offset + k] as number;
      if (rps <= 0) continue;
      const p = price[k] as number;
      let at = length;
      const ratio = p / rps;
      while (at > 0 && (this.#ratio[at - 1] as number) > ratio) {
        this.#ratio[at] = this.#ratio[at - 1] as number;
        this.#price[at] = this.#price[at - 1] as number;
        this.#rps[at] = this.#rps[at - 1] as number;
        this.#size[at] = this.#size[at - 1] as number;
        at--;
      }
      this.#ratio[at] = ratio;
      this.#price[at] = p;
      this.#rps[at] = rps;
      this.#size[at] = k;
      length++;
    }
    this.#ratio[length] = Infinity;
    this.#length = length;
    this.#minCount = minCount;
    this.#findCheapest();
  }

  #findCheapest(): void {
    let cheapest = 0;
    for (let j = 1; j < this.#length; j++) if ((this.#price[j] as number) < (this.#price[cheapest] as number)) cheapest = j;
    this.#cheapest = cheapest;
  }

  /**
   * Some number m of instances of a size can be replaced by ⌈m·t/t'⌉ of a size with a better ratio at no more cost;
   * then an optimal cover with fewer than m exists. Sizes that are not worth buying once (m = 1) drop out.
   */
  #limitCounts(): void {
    let kept = 0;
    for (let j = 0; j < this.#length; j++) {
      const price = this.#price[j] as number;
      const rps = this.#rps[j] as number;
      const most = j === 0 ? unlimited : this.#replaceableFrom(price, rps, kept) - 1;
      if (most === 0) continue;
      this.#size[kept] = this.#size[j] as number;
      this.#price[kept] = price;
      this.#rps[kept] = rps;
      this.#ratio[kept] = this.#ratio[j] as number;
      this.#most[kept] = most;
      kept++;
    }
    this.#length = kept;
    this.#ratio[kept] = Infinity;
    this.#findCheapest();
  }

  #replaceableFrom(price: number, rps: number, kept: number): number {
    for (let m = 1; m <= replacementDepth; m++) {
      for (let i = 0; i < kept; i++) {
        const enough = Math.ceil(((m * rps) / (this.#rps[i] as number)) * (1 - 1e-12));
        // Where the number of instances matters, a replacement may not have fewer of them.
        const instead = this.#minCount > 1 ? Math.max(enough, m) : enough;
        if (instead * (this.#price[i] as number) <= m * price) return m;
      }
    }
    return unlimited;
  }

  #search(demand: number): void {
    this.#counts.fill(0, 0, this.#length);
    this.#bestCost = Infinity;
    this.#nodes = 0;
    this.#rootBound = Math.max((this.#ratio[0] as number) * demand, this.#minCount * (this.#price[this.#cheapest] as number));
    // A demand of exactly n instances must not ask for n + 1 because of the last bit.
    this.#descend(0, demand * (1 - 1e-12), 0, 0);
  }

  #descend(j: number, remaining: number, cost: number, count: number): void {
    const rps = this.#rps[j] as number;
    const price = this.#price[j] as number;
    const enough = Math.ceil(remaining / rps);
    const most = Math.min(enough - 1, this.#most[j] as number);
    if (enough <= (this.#most[j] as number)) {
      this.#counts[j] = enough;
      this.#leaf(j, cost + enough * price, count + enough);
    }
    if (j + 1 < this.#length) {
      const nextRatio = this.#ratio[j + 1] as number;
      const fillPrice = this.#price[this.#cheapest] as number;
      for (let x = most; x >= 0; x--) {
        const rest = remaining - x * rps;
        const paid = cost + x * price;
        const bound = Math.max(paid + rest * nextRatio, paid + (this.#minCount - count - x) * fillPrice);
        if (bound >= this.#cutoff()) {
          if (paid + rest * nextRatio >= this.#cutoff()) break;
          continue;
        }
        if (++this.#nodes > nodeLimit) break;
        if (j === 0) this.#rootBound = Math.max(paid + rest * nextRatio, this.#minCount * fillPrice);
        this.#counts[j] = x;
        this.#descend(j + 1, rest, paid, count + x);
        if (this.#nodes > nodeLimit) break;
      }
    }
    this.#counts[j] = 0;
  }

  #cutoff(): number {
    if (this.#found !== undefined) return this.#foundLimit * (1 + 1e-12) + 1e-15;
    return this.#bestCost * (1 - tieTolerance);
  }

  #leaf(last: number, cost: number, count: number): void {
    const missing = Math.max(0, this.#minCount - count);
    const total = cost + missing * (this.#price[this.#cheapest] as number);
    if (this.#found !== undefined) {
      if (total <= this.#foundLimit) this.#collect(total, missing);
      return;
    }
    if (total >= this.#bestCost) return;
    this.#bestCost = total;
    for (let j = 0; j < this.#length; j++) this.#best[j] = j <= last ? (this.#counts[j] as number) : 0;
    (this.#best[this.#cheapest] as number) += missing;
  }

  #collect(cost: number, missing: number): void {
    const found = this.#found as { counts: Int32Array; cost: number }[];
    const counts = new Int32Array(this.#sizeCount);
    for (let j = 0; j < this.#length; j++) counts[this.#size[j] as number] = this.#counts[j] as number;
    (counts[this.#size[this.#cheapest] as number] as number) += missing;
    found.push({ counts, cost });
    if (found.length < 4 * this.#keep) return;
    found.sort((a, b) => a.cost - b.cost);
    found.length = this.#keep;
    this.#foundLimit = Math.min(this.#foundLimit, (found[this.#keep - 1] as { cost: number }).cost);
  }
}

/** Different covers may become one when instances are added up to the number that is wanted. */
function dropRepeated<T extends { readonly counts: Int32Array }>(covers: readonly T[]): T[] {
  return [...new Map(covers.toReversed().map((cover) => [cover.counts.join(), cover])).values()].reverse();
}
