/** A number for a sentence: four significant digits, no trailing zeros. */
export function showNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** The smallest number of four significant digits that is above a positive `value` by more than rounding. */
export function roundUp(value: number): number {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 3);
  return Number((Math.ceil((value * (1 + 1e-9)) / unit) * unit).toPrecision(4));
}
