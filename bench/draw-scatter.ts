import { drawLabel } from '../src/formats/svg/draw-label.js';
import { element, type SvgElement } from '../src/formats/svg/element.js';
import { pictureStyle } from '../src/formats/svg/picture-style.js';

/** Points of one kind. */
export interface ScatterSeries {
  readonly name: string;
  readonly colour: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

const size = { width: 640, height: 620 } as const;
const plot = { left: 70, top: 70, side: 500 } as const;

/** A square scatter plot on two equal logarithmic axes with the diagonal, as an SVG document. Values are above 0. */
export function drawScatter(title: string, axes: { readonly x: string; readonly y: string }, series: readonly ScatterSeries[]): string {
  const values = series.flatMap(({ points }) => points.flatMap(({ x, y }) => [x, y]));
  const low = 10 ** Math.floor(Math.log10(Math.min(...values)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...values)));
  const decades = Math.log10(high / low);
  const x = (value: number) => plot.left + (plot.side * Math.log10(value / low)) / decades;
  const y = (value: number) => plot.top + plot.side - (plot.side * Math.log10(value / low)) / decades;
  const parts: SvgElement[] = [
    drawLabel(title, plot.left, 32, { size: 16, bold: true }),
    element('line', { class: 'tick', x1: x(low), y1: y(low), x2: x(high), y2: y(high) }),
  ];
  for (let value = low; value <= high * 1.001; value *= 10) {
    parts.push(
      element('line', { class: 'rule', x1: x(value), x2: x(value), y1: plot.top, y2: plot.top + plot.side }),
      element('line', { class: 'rule', x1: plot.left, x2: plot.left + plot.side, y1: y(value), y2: y(value) }),
      drawLabel(String(Number(value.toPrecision(1))), x(value), plot.top + plot.side + 18, { size: 12, tone: 'quiet', anchor: 'middle' }),
      drawLabel(String(Number(value.toPrecision(1))), plot.left - 8, y(value) + 4, { size: 12, tone: 'quiet', anchor: 'end' }),
    );
  }
  for (const { colour, points } of series) {
    for (const point of points) parts.push(element('circle', { cx: x(point.x), cy: y(point.y), r: 3, fill: colour, 'fill-opacity': 0.7 }));
  }
  series.forEach(({ name, colour }, place) => {
    const top = plot.top + 18 + 20 * place;
    parts.push(
      element('circle', { cx: plot.left + 16, cy: top - 4, r: 5, fill: colour }),
      drawLabel(name, plot.left + 28, top, { size: 13 }),
    );
  });
  parts.push(
    drawLabel(axes.x, plot.left + plot.side / 2, plot.top + plot.side + 40, { size: 13, anchor: 'middle' }),
    drawLabel(axes.y, plot.left, 56, { size: 13 }),
  );
  const root = element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', class: 'inlay', viewBox: `0 0 ${size.width} ${size.height}`, ...size, role: 'img' },
    element('title', {}, title),
    pictureStyle(),
    element('rect', { class: 'paper', x: 0.5, y: 0.5, width: size.width - 1, height: size.height - 1, rx: 10 }),
    ...parts,
  );
  return `${root.markup}\n`;
}
