/** A number for a label: whole from 1000 on, else three significant digits without trailing zeros. */
export function formatQuantity(value: number): string {
  return String(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3)));
}

/** A share as a whole percentage, such as `74 %`. */
export function formatPercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** `1 GPU`, `2 GPUs`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
