/** A value as a message shows it: short scalars as JSON, the rest by kind and size. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 1 ? 'a list of 1 entry' : `a list of ${value.length} entries`;
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'number') return Math.abs(value) < 1e6 ? String(value) : value.toExponential().replace('e+', 'e');
  const text = JSON.stringify(value) ?? typeof value;
  return text.length <= 60 ? text : `${text.slice(0, 57)}…"`;
}
