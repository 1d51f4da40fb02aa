import type { PlanService } from '../../demand/documents/plan.js';
import { drawLabel, type LabelStyle } from './draw-label.js';
import { element, type SvgElement } from './element.js';
import { estimateTextWidth, fitText } from './fit-text.js';
import { formatCount, formatQuantity } from './format-quantity.js';
import { drawServiceBox, type ServiceKey } from './service-key.js';

const columns = 3;
const columnGap = 32;
const rowHeight = 24;
const swatchWidth = 34;

const numberStyle: LabelStyle = { size: 11, bold: true, tone: 'on-block', anchor: 'middle' };
const nameStyle: LabelStyle = { size: 12 };
const detailStyle: LabelStyle = { size: 11, tone: 'quiet', anchor: 'end' };

/** Height of the legend of so many services. */
export function legendHeight(count: number): number {
  return Math.ceil(count / columns) * rowHeight;
}

/** A line of the legend: a service, what is said of it, and what a pointer reveals. */
export interface LegendEntry {
  readonly name: string;
  readonly detail: string;
  readonly description: string;
}

/** What a plan's legend says of a service: rate and instances. */
export function describeInLegend(service: PlanService): LegendEntry {
  const detail = `${formatQuantity(service.rateRps)} req/s · ${formatCount(service.instances, 'instance')}`;
  return { name: service.name, detail, description: describeService(service) };
}

/** Draws number, look, name and detail of each service, in columns that fill `width`. */
export function drawLegend(
  entries: readonly LegendEntry[],
  keys: ReadonlyMap<string, ServiceKey>,
  { x, y, width, prefix }: { readonly x: number; readonly y: number; readonly width: number; readonly prefix: string },
): readonly SvgElement[] {
  const columnWidth = (width - (columns - 1) * columnGap) / columns;
  return entries.map((entry, index) => {
    const left = x + (index % columns) * (columnWidth + columnGap);
    const top = y + Math.floor(index / columns) * rowHeight;
    const key = keys.get(entry.name) as ServiceKey;
    return drawEntry(entry, key, left, top, columnWidth, prefix);
  });
}

function drawEntry(entry: LegendEntry, key: ServiceKey, x: number, y: number, width: number, prefix: string): SvgElement {
  const { detail } = entry;
  const detailWidth = estimateTextWidth(detail, detailStyle);
  const name = fitText(entry.name, nameStyle, width - swatchWidth - 8 - detailWidth - 12);
  const number = fitText(String(key.number), numberStyle, swatchWidth - 4);
  return element(
    'g',
    {},
    element('title', {}, entry.description),
    drawServiceBox(key, { x: x + 0.5, y: y + 0.5, width: swatchWidth, height: 17 }, prefix),
    drawLabel(number, x + swatchWidth / 2, y + 13, numberStyle),
    drawLabel(name, x + swatchWidth + 8, y + 13, nameStyle),
    drawLabel(detail, x + width, y + 13, detailStyle),
  );
}

function describeService({ name, rateRps, capacityRps, plannedCapacityRps, limitedBy }: PlanService): string {
  return [
    name,
    `requires ${formatQuantity(rateRps)} req/s`,
    `gets ${formatQuantity(plannedCapacityRps)} req/s planned of ${formatQuantity(capacityRps)} measured`,
    ...(limitedBy === 'none' ? [] : [`limited by ${limitedBy}`]),
  ].join('\n');
}
