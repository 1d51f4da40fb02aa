import { drawLabel } from './draw-label.js';
import { element, type SvgElement } from './element.js';
import { fitText } from './fit-text.js';
import { pictureStyle } from './picture-style.js';
import type { Figure } from './plan-figures.js';
import { texturePatterns } from './texture-patterns.js';

/** Width of every picture, and what is left inside its margins; pixels. */
const pictureWidth = 1200;
export const margin = 32;
export const contentWidth = pictureWidth - 2 * margin;

/** What frames a picture; `prefix` begins every id in it. */
export interface Page {
  readonly prefix: string;
  readonly title: string;
  readonly description: string;
  readonly height: number;
}

/** A finished SVG document: the parts on their paper, with title and description for those who hear it. */
export function drawPage({ prefix, title, description, height }: Page, parts: readonly SvgElement[]): string {
  const root = element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'inlay',
      viewBox: `0 0 ${pictureWidth} ${height}`,
      width: pictureWidth,
      height,
      role: 'img',
      'aria-labelledby': `${prefix}-title ${prefix}-description`,
    },
    element('title', { id: `${prefix}-title` }, title),
    element('desc', { id: `${prefix}-description` }, description),
    pictureStyle(),
    texturePatterns(prefix),
    element('rect', { class: 'paper', x: 0.5, y: 0.5, width: pictureWidth - 1, height: height - 1, rx: 10 }),
    ...parts,
  );
  return `${root.markup}\n`;
}

/** Name, a remark on the right, and the figures beneath a line; 148 pixels high. */
export function drawHead(name: string, remark: string, figures: readonly Figure[]): SvgElement[] {
  const step = contentWidth / figures.length;
  return [
    drawLabel(fitText(name, { size: 22, bold: true }, contentWidth - 320), margin, 48, { size: 22, bold: true }),
    drawLabel(remark, pictureWidth - margin, 48, { size: 12, tone: 'quiet', anchor: 'end' }),
    element('line', { class: 'rule', x1: margin, x2: pictureWidth - margin, y1: 62, y2: 62 }),
    ...figures.flatMap(({ value, caption }, index) => [
      drawLabel(value, margin + index * step, 94, { size: 24, bold: true }),
      drawLabel(caption, margin + index * step, 112, { size: 12, tone: 'quiet' }),
    ]),
  ];
}
