/** Prices are compared in steps of a millionth. */
const resolution = 1e6;

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

/** The smallest cost that a plan can have when no plan costs less than `bound` and costs are multiples of `unit` (0 = any cost). */
export function roundUpToUnit(bound: number, unit: number): number {
  if (unit === 0) return bound;
  const steps = Math.max(0, Math.ceil(bound / unit - 1e-6));
  return Math.round(steps * unit * resolution) / resolution;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
