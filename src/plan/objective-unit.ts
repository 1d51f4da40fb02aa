/** Prices are compared in steps of a millionth. */
const resolution = 1e6;
/** With a cheapest price of more units than this, sums are not listed: costs then count as multiples of the unit only. */
const mostResidues = 100_000;

/**
 * The largest number of which every given price is a multiple (a millionth at the least): costs of plans are multiples
 * of it too. 0 when a price is finer than a millionth or too large to tell.
 */
export function findPriceUnit(prices: readonly number[]): number {
  let unit = 0;
  for (const price of prices) {
    const steps = Math.round(price * resolution);
    if (steps === 0 || steps > Number.MAX_SAFE_INTEGER / 2 || Math.abs(steps - price * resolution) > 1e-6 * Math.max(1, steps * 1e-6))
      return 0;
    unit = greatestCommonDivisor(unit, steps);
  }
  return unit / resolution;
}

/**
 * The smallest cost that a plan can have when no plan costs less than `bound`: the next sum of GPU prices, any number of GPUs
 * of each. A sum less than a millionth of the prices' unit below the bound counts as reaching it.
 */
export function roundUpToSum(bound: number, prices: readonly number[]): number {
  const unit = findPriceUnit(prices);
  if (unit === 0) return bound;
  const from = Math.max(0, Math.ceil(bound / unit - 1e-6));
  const steps = [...new Set(prices.map((price) => Math.round(price / unit)))].sort((a, b) => a - b);
  const [cheapest = 1] = steps;
  if (cheapest > mostResidues) return toPrice(from, unit);
  const least = leastSums(cheapest, steps);
  let sum = from;
  while ((least[sum % cheapest] as number) > sum) sum++;
  return toPrice(sum, unit);
}

/** By remainder on division by the cheapest price, the least sum of the prices that leaves it: from there on every such number is a sum. */
function leastSums(cheapest: number, steps: readonly number[]): Float64Array {
  const least = new Float64Array(cheapest).fill(Infinity);
  least[0] = 0;
  // One more coin of a price moves round each circle of remainders; twice around settles it.
  for (const step of steps) {
    const circles = greatestCommonDivisor(step, cheapest);
    for (let start = 0; start < circles; start++) {
      let at = start;
      for (let turn = 0; turn < (2 * cheapest) / circles; turn++) {
        const next = (at + step) % cheapest;
        least[next] = Math.min(least[next] as number, (least[at] as number) + step);
        at = next;
      }
    }
  }
  return least;
}

function toPrice(steps: number, unit: number): number {
  return Math.round(steps * unit * resolution) / resolution;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
