import { drawLabel } from '../src/formats/svg/draw-label.js';
import { element, type SvgElement } from '../src/formats/svg/element.js';
import { estimateTextWidth } from '../src/formats/svg/fit-text.js';
import { serviceColours } from '../src/formats/svg/palette.js';
import { pictureStyle } from '../src/formats/svg/picture-style.js';

/** Values of one thing that is compared: one for each position on the horizontal axis. */
export interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

/** A chart of one or more panels side by side, which share the vertical axis. */
export interface Chart {
  readonly title: string;
  /** Bars from zero, or points joined by lines on an axis that starts near the lowest value. */
  readonly kind: 'bars' | 'lines';
  readonly yTitle: string;
  readonly xTitle: string;
  readonly panels: readonly { readonly name: string; readonly positions: readonly string[]; readonly series: readonly Series[] }[];
}

const width = 1000;
const height = 430;
const frame = { left: 64, right: 24, top: 92, bottom: 96, between: 36 } as const;
const small = { size: 11, tone: 'quiet' } as const;
const mostTicks = 7;

/** Draws a chart as an SVG document; equal charts give equal bytes. Series have the same colour in every panel. */
export function drawChart(chart: Chart): string {
  const { panels, title } = chart;
  const axis = chooseAxis(chart);
  const panelWidth = (width - frame.left - frame.right - (panels.length - 1) * frame.between) / panels.length;
  const parts = panels.flatMap((panel, i) => drawPanel(chart, panel, axis, frame.left + i * (panelWidth + frame.between), panelWidth));
  const root = element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', class: 'inlay', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img' },
    element('title', {}, title),
    pictureStyle(),
    element('rect', { class: 'paper', x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 10 }),
    drawLabel(title, frame.left, 34, { size: 16, bold: true }),
    drawLabel(chart.yTitle, frame.left, 56, small),
    ...parts,
    drawLabel(chart.xTitle, (frame.left + width - frame.right) / 2, height - frame.bottom + 38, { ...small, anchor: 'middle' }),
    ...drawKey(panels[0]?.series ?? []),
  );
  return `${root.markup}\n`;
}

interface Axis {
  readonly low: number;
  readonly high: number;
  readonly step: number;
}

function chooseAxis({ panels, kind }: Chart): Axis {
  const values = panels.flatMap(({ series }) => series.flatMap((one) => one.values));
  const highest = Math.max(...values);
  const lowest = kind === 'bars' ? 0 : Math.min(...values);
  const rough = Math.max(highest - lowest, 1e-9) / mostTicks;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return { low: Math.floor(lowest / step) * step, high: Math.ceil(highest / step) * step, step };
}

function yOf(value: number, { low, high }: Axis): number {
  return height - frame.bottom - ((value - low) / (high - low)) * (height - frame.top - frame.bottom);
}

function drawPanel(chart: Chart, panel: Chart['panels'][number], axis: Axis, left: number, panelWidth: number): SvgElement[] {
  const slot = panelWidth / panel.positions.length;
  const parts = [drawLabel(panel.name, left, frame.top - 12, { size: 13, bold: true })];
  for (let tick = 0; axis.low + tick * axis.step <= axis.high + axis.step / 2; tick++) {
    const value = axis.low + tick * axis.step;
    const y = yOf(value, axis);
    parts.push(element('line', { class: 'rule', x1: left, x2: left + panelWidth, y1: y, y2: y }));
    parts.push(drawLabel(String(Number(value.toPrecision(6))), left - 6, y + 4, { ...small, anchor: 'end' }));
  }
  for (const [i, position] of panel.positions.entries()) {
    parts.push(drawLabel(position, left + (i + 0.5) * slot, height - frame.bottom + 18, { ...small, anchor: 'middle' }));
  }
  const draw = chart.kind === 'bars' ? drawBars : drawLine;
  return [...parts, ...panel.series.flatMap((series, n) => draw(series, n, panel.series.length, axis, left, slot))];
}

function drawBars({ name, values }: Series, n: number, count: number, axis: Axis, left: number, slot: number): SvgElement[] {
  const bar = (slot * 0.84) / count;
  return values.map((value, i) => {
    const y = yOf(value, axis);
    const x = left + i * slot + slot * 0.08 + n * bar;
    return element(
      'rect',
      { x, y, width: bar - 1, height: yOf(axis.low, axis) - y, fill: colourOf(n) },
      element('title', {}, `${name}: ${Number(value.toPrecision(5))}`),
    );
  });
}

function drawLine({ name, values }: Series, n: number, _count: number, axis: Axis, left: number, slot: number): SvgElement[] {
  const points = values.map((value, i) => ({ x: left + (i + 0.5) * slot, y: yOf(value, axis), value }));
  const path = points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  return [
    element('polyline', { points: path, fill: 'none', stroke: colourOf(n), 'stroke-width': 2.5 }),
    ...points.map(({ x, y, value }) =>
      element('circle', { cx: x, cy: y, r: 3.2, fill: colourOf(n) }, element('title', {}, `${name}: ${Number(value.toPrecision(5))}`)),
    ),
  ];
}

function drawKey(series: readonly Series[]): SvgElement[] {
  const y = height - 24;
  let x: number = frame.left;
  return series.flatMap(({ name }, n) => {
    const at = x;
    x += 20 + estimateTextWidth(name, { size: 12 }) + 18;
    return [element('rect', { x: at, y: y - 10, width: 12, height: 12, fill: colourOf(n) }), drawLabel(name, at + 18, y, { size: 12 })];
  });
}

function colourOf(n: number): string {
  return serviceColours[n % serviceColours.length] as string;
}
