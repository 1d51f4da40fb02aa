/** An instance that can be bought any number of times. */
export interface CoverSize {
  /** At least 0. */
  readonly price: number;
  /** Requests per second; 0 = useless here. */
  readonly rps: number;
}

/** What the instances must reach together. */
export interface CoverNeed {
  readonly rateRps: number;
  readonly instances: number;
}

/** Room for rounding in sums of throughputs: far below what a plan may fall short, so that equal sums count as covered. */
const coverTolerance = 1e-11;

/** Most instances of one size that are searched one by one. */
const mostInstances = 1e8;

/** Relative room for rounding when costs are compared. */
const costTolerance = 1e-12;

/**
 * A proven lower limit on the price of any whole-number choice of instances that meets a need; Infinity when nothing can.
 * Exact unless the search needs more than `maxNodes` steps: then the smallest limit of what was left unsearched counts.
 *
 * Depth-first over sizes from the best price per throughput on, counts from the most needed downwards. What is left is bounded by
 * the fractional cover, with a premium per instance that is paid where the number of instances matters; prices with a common unit
 * round the limit up to it.
 */
export function boundCheapestCover(offered: readonly CoverSize[], need: CoverNeed, maxNodes = 200_000): number {
  const undominated = dropDominated(offered);
  const first = undominated[0];
  if (first === undefined) return Number.POSITIVE_INFINITY;
  if (first.price === 0) return 0;
  const demand = need.rateRps * (1 - coverTolerance);
  const premium = findPremium(undominated, demand, need.instances);
  const ratioOf = ({ price, rps }: CoverSize) => (price - premium) / rps;
  const sizes = undominated.toSorted((a, b) => ratioOf(a) - ratioOf(b));
  const cheapestFrom = sizes.map((_, index) => Math.min(...sizes.slice(index).map(({ price }) => price)));
  const unit = findCommonUnit(sizes.map(({ price }) => price));
  const roundUp = (cost: number) => (unit === 0 ? cost : Math.ceil(cost / unit - 1e-9) * unit);
  /** Lower limit of what remains to be paid for the sizes from `index` on. */
  const fractional = (index: number, rps: number, count: number) =>
    premium * Math.max(count, 0) + ratioOf(sizes[index] as CoverSize) * Math.max(rps, 0);

  const root = roundUp(fractional(0, demand, need.instances));
  // Beyond this many instances a search one by one would not end; the fractional limit is as good as exact there.
  if (Math.max(...sizes.map((size) => countNeeded(size, demand, need.instances))) > mostInstances) return root;
  let best = Math.min(...sizes.map((size) => size.price * countNeeded(size, demand, need.instances)));
  let unsearched = Number.POSITIVE_INFINITY;
  let nodes = 0;

  const search = (index: number, cost: number, rps: number, count: number): void => {
    const size = sizes[index] as CoverSize;
    const most = countNeeded(size, rps, count);
    if (index === sizes.length - 1) {
      best = Math.min(best, cost + most * size.price);
      return;
    }
    for (let taken = most; taken >= 0; taken--) {
      const paid = cost + taken * size.price;
      const restRps = rps - taken * size.rps;
      const restCount = count - taken;
      if (restRps <= 0 && restCount <= 0) {
        best = Math.min(best, paid);
        nodes++;
        continue;
      }
      const atLeast = roundUp(paid + fractional(index + 1, restRps, restCount));
      const enough = best * (1 - costTolerance);
      // While throughput is still missing, fewer of a better size cost no less, except above the count that earns the premium.
      if (atLeast >= enough && restRps >= 0 && (premium === 0 || taken <= count)) return;
      nodes++;
      if (nodes > maxNodes) {
        unsearched = Math.min(unsearched, need.instances <= 1 ? atLeast : root);
        return;
      }
      const oneByOne = paid + (cheapestFrom[index + 1] as number) * Math.max(restCount, 1);
      if (Math.max(atLeast, oneByOne) < enough) search(index + 1, paid, restRps, restCount);
    }
  };
  search(0, 0, demand, need.instances);
  return Math.min(best, unsearched);
}

function countNeeded(size: CoverSize, rps: number, count: number): number {
  return Math.max(Math.ceil(rps / size.rps), count, 0);
}

/** Cheapest first; a size that costs no less than another and carries no more is never needed. */
function dropDominated(offered: readonly CoverSize[]): readonly CoverSize[] {
  const kept: CoverSize[] = [];
  for (const size of offered.filter(({ rps }) => rps > 0).sort((a, b) => a.price - b.price || b.rps - a.rps)) {
    if (size.rps > (kept.at(-1)?.rps ?? 0)) kept.push(size);
  }
  return kept;
}

/**
 * The dual price of one more instance, in [0, cheapest price]: the premium m with the highest fractional limit
 * m · instances + demand · min (price − m) ÷ rps. It is concave and bends only where two ratios meet.
 */
function findPremium(sizes: readonly CoverSize[], demand: number, instances: number): number {
  if (instances <= 1) return 0;
  const cheapest = Math.min(...sizes.map(({ price }) => price));
  const limitAt = (premium: number) => premium * instances + demand * Math.min(...sizes.map(({ price, rps }) => (price - premium) / rps));
  const bends = sizes.flatMap((a) => sizes.map((b) => (a.price * b.rps - b.price * a.rps) / (b.rps - a.rps)));
  return [cheapest, ...bends.filter((premium) => premium > 0 && premium < cheapest)].reduce(
    (best, premium) => (limitAt(premium) > limitAt(best) ? premium : best),
    0,
  );
}

/** The largest unit of which all prices are whole multiples; 0 when there is none worth using. */
function findCommonUnit(prices: readonly number[]): number {
  const largest = Math.max(...prices);
  const unit = prices.reduce((common, price) => {
    let [a, b] = [price, common];
    while (b > largest * 1e-6) {
      const rest = a - Math.round(a / b) * b;
      [a, b] = [b, Math.abs(rest)];
    }
    return a;
  });
  const fits = prices.every((price) => Math.abs(price / unit - Math.round(price / unit)) <= costTolerance * (price / unit));
  return fits && unit > largest * 1e-5 ? unit : 0;
}
