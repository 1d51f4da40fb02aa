/** A finished piece of SVG. Only `element` makes one, so every text and attribute in it is escaped. */
export interface SvgElement {
  readonly markup: string;
}

/** Attributes by name; numbers are written with at most two decimals, `undefined` leaves the attribute out. */
export type SvgAttributes = Readonly<Record<string, string | number | undefined>>;

/** Makes an element. Strings among the children become escaped text. */
export function element(name: string, attributes: SvgAttributes, ...children: readonly (SvgElement | string)[]): SvgElement {
  const written = Object.entries(attributes).map(([key, value]) => (value === undefined ? '' : ` ${key}="${writeValue(value)}"`));
  const opening = `${name}${written.join('')}`;
  if (children.length === 0) return { markup: `<${opening}/>` };
  const content = children.map((child) => (typeof child === 'string' ? escapeText(child) : child.markup));
  return { markup: `<${opening}>${content.join('')}</${name}>` };
}

function writeValue(value: string | number): string {
  if (typeof value === 'string') return escapeText(value);
  if (!Number.isFinite(value)) throw new RangeError(`an SVG attribute must be finite, not ${value}`);
  return String(Math.round(value * 100) / 100);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** XML 1.0 has no way at all to write most control characters and lone surrogates; they become U+FFFD. */
function escapeText(text: string): string {
  return (
    text
      .replace(/\p{Surrogate}/gu, '\ufffd')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that XML forbids
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replace(/[&<>"']/g, (character) => entities[character] as string)
  );
}
