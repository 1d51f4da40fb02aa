/** What a number in a measurement file says. */
export type MeasuredNumber =
  /** `separators` when the text has thousands separators, which another locale may read otherwise. */
  | { readonly kind: 'number'; readonly value: number; readonly separators?: true }
  /** Nothing, NaN, N/A or infinity: the tool had nothing to measure. */
  | { readonly kind: 'not-finite' }
  | { readonly kind: 'wrong' };

const plain = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const commaGroups = /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/;
/** With two groups or decimals at the end, else `1.184` would be one. */
const dotGroups = /^[+-]?\d{1,3}(\.\d{3})+,\d+$|^[+-]?\d{1,3}(\.\d{3}){2,}$/;
const nothing = /^(|n\/?a|nan|none|null|[+-]?inf(inity)?)$/i;

/** Reads a number as benchmark tools and spreadsheets write it: `1184.2`, `1,184.2`, `1.184,2`, `2.5e3`. */
export function parseMeasuredNumber(text: string): MeasuredNumber {
  const trimmed = text.trim();
  if (plain.test(trimmed)) return finite(trimmed);
  if (nothing.test(trimmed)) return { kind: 'not-finite' };
  if (commaGroups.test(trimmed)) return finite(trimmed.replaceAll(',', ''), true);
  if (dotGroups.test(trimmed)) return finite(trimmed.replaceAll('.', '').replace(',', '.'), true);
  return { kind: 'wrong' };
}

function finite(text: string, separators = false): MeasuredNumber {
  const value = Number(text);
  if (!Number.isFinite(value)) return { kind: 'not-finite' };
  return separators ? { kind: 'number', value, separators } : { kind: 'number', value };
}
