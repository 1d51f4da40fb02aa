/** What decides how wide a text is. */
export interface Font {
  /** Pixels. */
  readonly size: number;
  readonly bold?: boolean;
}

/**
 * Width of a text in pixels, in the widest of the fonts that pictures ask for (DejaVu Sans). An upper estimate: in a narrower
 * font the text has more room.
 */
export function estimateTextWidth(text: string, { size, bold }: Font): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width * size * (bold ? 1.12 : 1);
}

const widths: readonly (readonly [RegExp, number])[] = [
  [/[iljI|'.,:;! ·]/, 0.35],
  [/[ftr()[\]/\\"-]/, 0.46],
  [/[mwMWQ%@…]/, 1.02],
  [/[A-Z_×+=<>~#&]/, 0.84],
  [/[\u0020-\u02ff]/, 0.66],
];

function characterWidth(character: string): number {
  return widths.find(([pattern]) => pattern.test(character))?.[1] ?? 1.3;
}

/** The longest beginning of `text` that fits, ended by `…` when cut; empty when fewer than `fewest` characters would be left. */
export function fitText(text: string, font: Font, width: number, fewest = 1): string {
  if (estimateTextWidth(text, font) <= width) return text;
  const characters = [...text];
  while (characters.length > fewest) {
    characters.pop();
    const shortened = `${characters.join('').trimEnd()}…`;
    if (estimateTextWidth(shortened, font) <= width) return shortened;
  }
  return '';
}
