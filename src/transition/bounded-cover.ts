/** A kind of instance that can carry part of a service's demand. */
export interface CoverItem {
  /** Requests per second of one, > 0. */
  readonly rps: number;
  /** Most of them; Infinity when not limited. */
  readonly limit: number;
}

/** Prices of the items, and what a cover may cost at them. */
export interface CoverBudget {
  readonly price: Float64Array;
  readonly limit: number;
}

/** A set of items that carries a demand; counts are aligned with the items. */
export interface BoundedCover {
  readonly counts: Int32Array;
  readonly cost: number;
  /** No cover costs less; equal to `cost` up to rounding unless the search was cut short. */
  readonly lower: number;
}

/** A demand of exactly n instances must not ask for n + 1 because of the last bit. */
export const roundingShare = 1e-12;
const nodeLimit = 400_000;

/** Prices with the order in which items are cheapest per throughput, and what is left of the budget at each depth. */
interface Purse {
  readonly price: Float64Array;
  readonly order: Int32Array;
  limit: number;
}

/**
 * The covering knapsack with limited items: which counts carry a demand at least cost. One search a service; prices change
 * between calls.
 */
export class BoundedCoverSearch {
  readonly #items: readonly CoverItem[];
  readonly #demand: number;
  readonly #minCount: number;
  readonly #counts: Int32Array;
  readonly #upper: Int32Array;
  /** Depth at which each item is decided. */
  readonly #depth: Int32Array;
  #nodes = 0;

  constructor(items: readonly CoverItem[], demand: number, minCount: number) {
    this.#items = items;
    this.#demand = demand * (1 - roundingShare);
    this.#minCount = minCount;
    this.#counts = new Int32Array(items.length);
    this.#upper = Int32Array.from(items, ({ rps, limit }) => Math.min(limit, Math.max(Math.ceil(this.#demand / rps), minCount)));
    this.#depth = new Int32Array(items.length);
  }

  /** The cheapest cover; undefined when the items cannot carry the demand. */
  cheapest(price: Float64Array): BoundedCover | undefined {
    let best: Int32Array | undefined;
    let bestCost = Infinity;
    const purse = this.#open(price, Infinity);
    this.#search([purse], ([cost]) => {
      if ((cost as number) >= bestCost) return;
      bestCost = cost as number;
      best = this.#counts.slice();
      purse.limit = bestCost - 1e-12 * Math.max(1, bestCost);
    });
    if (best === undefined) return undefined;
    const isCut = this.#nodes > nodeLimit;
    return { counts: best, cost: bestCost, lower: isCut ? this.#bound(purse, 0, this.#demand, this.#minCount) : bestCost };
  }

  /**
   * All covers without an instance to spare that keep every budget, cost by the first; undefined when there are more than
   * `most` or the search is cut short.
   */
  within(budgets: readonly CoverBudget[], most: number): Int32Array[] | undefined {
    const found: Int32Array[] = [];
    const purses = budgets.map(({ price, limit }) => this.#open(price, limit));
    this.#search(purses, () => {
      if (this.#isMinimal()) found.push(this.#counts.slice());
      if (found.length > most) this.#nodes = nodeLimit;
    });
    return this.#nodes > nodeLimit || found.length > most ? undefined : found;
  }

  #open(price: Float64Array, limit: number): Purse {
    const ratio = (j: number): number => (price[j] as number) / (this.#items[j] as CoverItem).rps;
    const order = this.#items.map((_, j) => j).sort((a, b) => ratio(a) - ratio(b) || a - b);
    return { price, order: Int32Array.from(order), limit };
  }

  #search(purses: readonly Purse[], onCover: (costs: readonly number[]) => void): void {
    const { order } = purses[0] as Purse;
    for (const [depth, j] of order.entries()) this.#depth[j] = depth;
    this.#counts.fill(0);
    this.#nodes = 0;
    const paid = order.length === 0 ? [] : purses.map(() => 0);
    this.#descend(purses, 0, this.#demand, this.#minCount, paid, onCover);
  }

  #descend(
    purses: readonly Purse[],
    depth: number,
    missingRps: number,
    missingCount: number,
    paid: readonly number[],
    onCover: (costs: readonly number[]) => void,
  ): void {
    if (missingRps <= 0 && missingCount <= 0) {
      onCover(paid);
      return;
    }
    const j = (purses[0] as Purse).order[depth];
    if (j === undefined || ++this.#nodes > nodeLimit) return;
    const { rps } = this.#items[j] as CoverItem;
    const enough = Math.max(missingRps > 0 ? Math.ceil(missingRps / rps) : 0, missingCount);
    for (let n = Math.min(enough, this.#upper[j] as number); n >= 0; n--) {
      const left = missingRps - n * rps;
      const spent = this.#spend(purses, paid, j, n, depth, left, missingCount - n);
      if (spent === undefined) continue;
      this.#counts[j] = n;
      this.#descend(purses, depth + 1, left, missingCount - n, spent, onCover);
    }
    this.#counts[j] = 0;
  }

  /** What each purse has paid with n more of item j; undefined where the rest cannot be paid. No lists are made in vain: this is the inner loop. */
  #spend(
    purses: readonly Purse[],
    paid: readonly number[],
    j: number,
    n: number,
    depth: number,
    missingRps: number,
    missingCount: number,
  ): readonly number[] | undefined {
    for (let p = 0; p < purses.length; p++) {
      const purse = purses[p] as Purse;
      const spent = (paid[p] as number) + n * (purse.price[j] as number);
      if (spent > purse.limit || spent + this.#bound(purse, depth + 1, missingRps, missingCount) > purse.limit) return undefined;
    }
    return purses.map(({ price }, p) => (paid[p] as number) + n * (price[j] as number));
  }

  /** What the rest costs at least with the items from `depth` on: fractions of the cheapest; Infinity when they cannot carry it. */
  #bound({ order, price }: Purse, depth: number, missingRps: number, missingCount: number): number {
    let left = missingRps;
    let cost = 0;
    let most = 0;
    for (const j of order) {
      if ((this.#depth[j] as number) < depth) continue;
      const upper = this.#upper[j] as number;
      most += upper;
      if (left <= 0) continue;
      const { rps } = this.#items[j] as CoverItem;
      const n = Math.min(upper, left / rps);
      cost += n * (price[j] as number);
      left -= n * rps;
    }
    // Rounding in the sum of fractions must not cut a cover that fits exactly.
    return left > 1e-9 * this.#demand || most < missingCount ? Infinity : cost * (1 - 1e-12);
  }

  #isMinimal(): boolean {
    let spare = -this.#demand;
    let count = 0;
    for (const [j, { rps }] of this.#items.entries()) {
      spare += (this.#counts[j] as number) * rps;
      count += this.#counts[j] as number;
    }
    return count <= this.#minCount || this.#items.every(({ rps }, j) => this.#counts[j] === 0 || rps > spare);
  }
}
