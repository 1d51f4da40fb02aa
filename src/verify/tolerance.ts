/** Relative room for rounding where a plan's numbers are compared with recomputed ones. */
export const roundingTolerance = 1e-9;

/** Whether two numbers are equal apart from rounding. */
export function nearly(a: number, b: number, tolerance = roundingTolerance): boolean {
  return a === b || Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
}

/** Whether `a` is at most `b` apart from rounding. */
export function atMost(a: number, b: number, tolerance = roundingTolerance): boolean {
  return a <= b || nearly(a, b, tolerance);
}

/** A number for people, short enough to read and long enough to tell neighbours apart. */
export function show(value: number | null | undefined): string {
  if (value === null || value === undefined) return 'none';
  return String(Number(value.toPrecision(10)));
}
