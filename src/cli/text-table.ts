import { printable } from './printable.js';

/** How a column is set. */
export interface Column {
  readonly title: string;
  /** Default left. */
  readonly align?: 'left' | 'right';
}

/** Sets rows in aligned columns with two spaces between them, under their titles; lines end without trailing blanks. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[], indent = '  '): string {
  const lines = [columns.map((column) => column.title), ...rows].map((line) => line.map(printable));
  const widths = columns.map((_, index) => lines.reduce((widest, line) => Math.max(widest, widthOf(line[index] ?? '')), 0));
  const format = (line: readonly string[]) =>
    columns.map((column, index) => pad(line[index] ?? '', widths[index] ?? 0, column.align ?? 'left')).join('  ');
  return lines
    .map((line) => `${indent}${format(line)}`.trimEnd())
    .join('\n')
    .concat('\n');
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const blanks = ' '.repeat(width - widthOf(text));
  return align === 'left' ? text + blanks : blanks + text;
}

/** Terminal cells: marks that combine take none, wide East Asian characters and emoji take two. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{Mark}|\u200d/u.test(character)) continue;
    width += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
      character,
    )
      ? 2
      : 1;
  }
  return width;
}
