/** A number for people: four significant digits, no exponent for everyday sizes, no trailing zeros; `1234.6`, `0.5`, `2e-9`. */
export function formatNumber(value: number): string {
  if (Math.abs(value) >= 1000 && Math.abs(value) < 1e9) return value.toFixed(1).replace(/\.0$/, '');
  return String(Number(value.toPrecision(4)));
}

/** `1 GPU`, `2 GPUs`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
