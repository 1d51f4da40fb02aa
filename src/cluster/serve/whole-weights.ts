/**
 * Whole numbers that share `total` as the rates do, each less than 1 from its exact share: what the rounding down leaves goes to the
 * largest remainders, equal ones in the order given. Rates are ≥ 0; all 0 gives all 0.
 */
export function wholeWeights(rates: readonly number[], total: number): number[] {
  const sum = rates.reduce((all, rate) => all + rate, 0);
  if (sum === 0) return rates.map(() => 0);
  const exact = rates.map((rate) => (rate / sum) * total);
  const weights = exact.map(Math.floor);
  const left = total - weights.reduce((all, weight) => all + weight, 0);
  const byRemainder = [...exact.keys()].sort((a, b) => remainder(exact, b) - remainder(exact, a) || a - b);
  for (const index of byRemainder.slice(0, left)) weights[index] = (weights[index] as number) + 1;
  return weights;
}

const remainder = (exact: readonly number[], index: number): number => (exact[index] as number) % 1;
