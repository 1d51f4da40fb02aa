import { binStart, type LatencyCounts } from '../../simulate/latency-histogram.js';
import { drawLabel } from './draw-label.js';
import { element, type SvgElement } from './element.js';
import { fitText } from './fit-text.js';
import { formatQuantity } from './format-quantity.js';
import { pictureStyle } from './picture-style.js';

/** What is drawn of one service: its latencies as counts by bin, and what they are held against. */
export interface DrawnLatencies {
  readonly name: string;
  readonly limitMs: number;
  /** Percent of the requests that must be within the limit. */
  readonly percentile: number;
  readonly counts: Pick<LatencyCounts, 'from' | 'bins' | 'count'>;
}

const panel = { width: 360, height: 210, left: 46, top: 34, right: 14, bottom: 34 } as const;
const margin = 28;
const perRow = 3;
/** Rarest share of requests that is shown. */
const rarest = 1e-4;

/**
 * For each service the share of its requests that take longer, over the latency, both axes logarithmic: the curve must be below
 * the percentile's share (dashed) where it passes the limit (line). Equal input gives equal bytes.
 */
export function drawLatencies(name: string, services: readonly DrawnLatencies[]): string {
  const columns = Math.max(1, Math.min(perRow, services.length));
  const width = Math.max(420, 2 * margin + columns * panel.width);
  const height = 2 * margin + 50 + Math.max(1, Math.ceil(services.length / perRow)) * panel.height;
  const title = fitText(`${name}: simulated latencies`, { size: 20, bold: true }, width - 2 * margin);
  const panels = services.map((service, i) =>
    element(
      'g',
      { transform: `translate(${margin + (i % perRow) * panel.width} ${margin + 50 + Math.floor(i / perRow) * panel.height})` },
      ...drawPanel(service),
    ),
  );
  const root = element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'inlay',
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      'aria-label': title,
    },
    element('title', {}, title),
    pictureStyle(),
    element('rect', { class: 'paper', x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 10 }),
    drawLabel(title, margin, margin + 16, { size: 20, bold: true }),
    drawLabel('Share of the requests that take longer, over the latency', margin, margin + 34, { size: 12, tone: 'quiet' }),
    ...(services.length === 0 ? [drawLabel('No service was simulated.', margin, margin + 68, { size: 13, tone: 'quiet' })] : panels),
  );
  return `${root.markup}\n`;
}

function drawPanel({ name, limitMs, percentile, counts }: DrawnLatencies): readonly SvgElement[] {
  const edges = Array.from({ length: counts.bins.length + 1 }, (_, i) => binStart(counts.from + i));
  const lowMs = Math.min(edges[0] ?? limitMs, limitMs) / 1.1;
  const highMs = Math.max(edges.at(-1) ?? limitMs, limitMs) * 1.1;
  const plot = { width: panel.width - panel.left - panel.right, height: panel.height - panel.top - panel.bottom };
  const x = (ms: number) => panel.left + (plot.width * Math.log(ms / lowMs)) / Math.log(highMs / lowMs);
  const y = (share: number) => panel.top + (plot.height * Math.log(Math.max(rarest, share))) / Math.log(rarest);
  const allowed = 1 - percentile / 100;
  return [
    drawLabel(fitText(name, { size: 12, bold: true }, plot.width), panel.left, panel.top - 12, { size: 12, bold: true }),
    element('rect', { class: 'slot', x: panel.left, y: panel.top, width: plot.width, height: plot.height }),
    ...[1, 0.1, 0.01, 0.001, rarest].flatMap((share) => [
      element('line', { class: 'rule', x1: panel.left, x2: panel.left + plot.width, y1: y(share), y2: y(share) }),
      drawLabel(`${formatQuantity(100 * share)} %`, panel.left - 5, y(share) + 4, { size: 10, tone: 'quiet', anchor: 'end' }),
    ]),
    ...ticksBetween(lowMs, highMs).map((ms) =>
      drawLabel(`${formatQuantity(ms)} ms`, x(ms), panel.top + plot.height + 16, { size: 10, tone: 'quiet', anchor: 'middle' }),
    ),
    element('line', {
      class: 'tick',
      x1: panel.left,
      x2: panel.left + plot.width,
      y1: y(allowed),
      y2: y(allowed),
      'stroke-dasharray': '4 3',
    }),
    element('line', { x1: x(limitMs), x2: x(limitMs), y1: panel.top, y2: panel.top + plot.height, stroke: '#cc3311', 'stroke-width': 1.5 }),
    drawLabel(`limit ${formatQuantity(limitMs)} ms`, Math.min(x(limitMs), panel.left + plot.width - 4), panel.top + plot.height + 29, {
      size: 10,
      anchor: x(limitMs) > panel.left + plot.width / 2 ? 'end' : 'middle',
    }),
    element('path', { d: tracePath(counts, edges, x, y), fill: 'none', stroke: '#4477aa', 'stroke-width': 2 }),
  ];
}

/** The share that takes longer than each bin's upper edge. */
function tracePath(
  counts: DrawnLatencies['counts'],
  edges: readonly number[],
  x: (ms: number) => number,
  y: (share: number) => number,
): string {
  let longer = counts.count;
  const points = [`M${place(x(edges[0] as number))} ${place(y(1))}`];
  for (const [i, inBin] of counts.bins.entries()) {
    longer -= inBin;
    points.push(`L${place(x(edges[i + 1] as number))} ${place(y(longer / counts.count))}`);
  }
  return points.join('');
}

function place(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Round latencies, one or three to a decade. */
function ticksBetween(lowMs: number, highMs: number): readonly number[] {
  const steps = highMs / lowMs > 100 ? [1] : highMs / lowMs > 8 ? [1, 3] : [1, 2, 3, 5];
  const decades = Array.from({ length: 26 }, (_, i) => 10 ** (i - 12));
  return decades.flatMap((decade) => steps.map((step) => step * decade)).filter((ms) => ms > lowMs * 1.05 && ms < highMs / 1.05);
}
