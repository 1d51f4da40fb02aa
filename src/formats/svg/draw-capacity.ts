import type { CapacityLine } from './capacity-timeline.js';
import { drawLabel, type LabelStyle } from './draw-label.js';
import { element, type SvgElement } from './element.js';
import { estimateTextWidth, fitText } from './fit-text.js';
import { formatQuantity } from './format-quantity.js';
import { drawServiceBox, type ServiceKey } from './service-key.js';

/** Height of one chart. */
export const capacityHeight = 92;

const chart = { top: 24, height: 52 } as const;
const nameStyle: LabelStyle = { size: 11, bold: true };
const rateStyle: LabelStyle = { size: 10, tone: 'quiet', anchor: 'end' };
const footStyle: LabelStyle = { size: 10, tone: 'quiet' };

/** Where a chart stands, the time it covers, and how its service looks. */
export interface CapacityFrame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly endS: number;
  readonly prefix: string;
  readonly key: ServiceKey;
}

/** The ready capacity of a service over time against its floor. */
export function drawCapacity(line: CapacityLine, { x, y, width, endS, prefix, key }: CapacityFrame): SvgElement {
  const most = line.points.reduce((highest, { rps }) => Math.max(highest, rps), Math.max(line.floorRps, 1e-9)) * 1.08;
  const toX = (atS: number) => (width * atS) / Math.max(endS, 1e-9);
  const toY = (rps: number) => chart.top + chart.height * (1 - rps / most);
  const lowest = line.points.reduce((least, { rps }) => Math.min(least, rps), Infinity);
  const rates = `${formatQuantity(line.oldRateRps)} → ${formatQuantity(line.newRateRps)} req/s`;
  const name = fitText(line.service, nameStyle, width - 24 - estimateTextWidth(rates, rateStyle) - 8);
  return element(
    'g',
    { transform: `translate(${x} ${y})` },
    element('title', {}, `${line.service}: needs ${rates}, floor ${formatQuantity(line.floorRps)}, lowest ${formatQuantity(lowest)} req/s`),
    drawServiceBox(key, { x: 0.5, y: 4.5, width: 14, height: 13 }, prefix),
    drawLabel(name, 22, 15, nameStyle),
    drawLabel(rates, width, 15, rateStyle),
    element('rect', { class: 'slot', x: 0, y: chart.top, width, height: chart.height, rx: 3 }),
    element('path', { class: 'capacity', d: stepPath(line.points, width, toX, toY) }),
    element('line', { class: 'floor', x1: 0, x2: width, y1: toY(line.floorRps), y2: toY(line.floorRps) }),
    drawLabel(
      fitText(`lowest ${formatQuantity(lowest)}, floor ${formatQuantity(line.floorRps)} req/s`, footStyle, width),
      0,
      chart.top + chart.height + 12,
      footStyle,
    ),
  );
}

function stepPath(points: CapacityLine['points'], width: number, toX: (atS: number) => number, toY: (rps: number) => number): string {
  const round = (value: number) => Math.round(value * 100) / 100;
  const [first, ...rest] = points;
  if (first === undefined) return '';
  return `M${round(toX(first.atS))} ${round(toY(first.rps))}${rest.map(({ atS, rps }) => `H${round(toX(atS))}V${round(toY(rps))}`).join('')}H${round(width)}`;
}
