import type { PlanInstance } from '../../demand/documents/plan.js';
import { inlayError } from '../../errors.js';
import type { GpuModel } from '../../gpu/gpu-model.js';
import { findPlanProfile } from '../plan-hardware.js';
import { drawLabel, type LabelStyle } from './draw-label.js';
import { element, type SvgElement } from './element.js';
import { estimateTextWidth, fitText } from './fit-text.js';
import type { FoldedGpus } from './fold-gpus.js';
import { formatPercent, formatQuantity } from './format-quantity.js';
import { drawServiceBox, type ServiceKey } from './service-key.js';
import { unusedId } from './texture-patterns.js';

/** What drawing any GPU of one picture needs. */
export interface GpuDrawing {
  readonly width: number;
  readonly prefix: string;
  readonly services: ReadonlyMap<string, ServiceKey>;
}

/** Height of one GPU: its label and its strip. */
export const gpuHeight = 64;

const strip = { top: 18, height: 46 } as const;

const headingStyle: LabelStyle = { size: 11, tone: 'quiet' };
const countStyle: LabelStyle = { size: 11, bold: true, anchor: 'middle' };
const nameStyle: LabelStyle = { size: 12, bold: true, tone: 'on-block' };
const settingStyle: LabelStyle = { size: 10.5, tone: 'on-block' };
const othersStyle: LabelStyle = { size: 11, tone: 'on-block' };

/** Draws GPUs that look alike as one strip of memory slices with its top left corner at (x, y). */
export function drawGpu(gpus: FoldedGpus, model: GpuModel, x: number, y: number, drawing: GpuDrawing): SvgElement {
  const { example } = gpus;
  const sliceWidth = drawing.width / model.memorySlices;
  const place = ({ profile, start }: { readonly profile: string; readonly start: number }): Span => ({
    from: start,
    slices: findPlanProfile(model, profile).memorySlices,
  });
  const used = [...example.instances, ...(example.occupied ?? [])].map(place);
  return element(
    'g',
    { transform: `translate(${x} ${y})` },
    ...drawHeading(gpus, drawing.width),
    element('rect', { class: 'slot', x: 0, y: strip.top, width: drawing.width, height: strip.height, rx: 5 }),
    ...findUnused(used, model.memorySlices).map((span) => drawUnused(span, sliceWidth, drawing.prefix)),
    ...(example.occupied ?? []).map((other) => drawOccupied(other.profile, place(other), sliceWidth)),
    ...example.instances.map((instance) => drawInstance(instance, place(instance), sliceWidth, drawing)),
  );
}

interface Span {
  readonly from: number;
  readonly slices: number;
}

function drawHeading({ ids, count: gpus }: FoldedGpus, width: number): readonly SvgElement[] {
  const [first = ''] = ids;
  if (gpus === 1) return [drawLabel(fitText(first, headingStyle, width), 0, 12, headingStyle)];
  const count = `× ${gpus}`;
  const pillWidth = estimateTextWidth(count, countStyle) + 12;
  const listed = gpus <= 20 ? ids.join(', ') : `${ids.slice(0, 20).join(', ')} and ${gpus - 20} more`;
  return [
    drawLabel(fitText(`${first} and ${gpus - 1} like it`, headingStyle, width - pillWidth - 6), 0, 12, headingStyle),
    element(
      'g',
      {},
      element('title', {}, listed),
      element('rect', { class: 'pill', x: width - pillWidth, y: 0, width: pillWidth, height: 15, rx: 7.5 }),
      drawLabel(count, width - pillWidth / 2, 11.5, countStyle),
    ),
  ];
}

function findUnused(used: readonly Span[], memorySlices: number): readonly Span[] {
  const unused: Span[] = [];
  let from = 0;
  for (const span of [...used, { from: memorySlices, slices: 0 }].sort((a, b) => a.from - b.from)) {
    if (span.from > from) unused.push({ from, slices: span.from - from });
    from = Math.max(from, span.from + span.slices);
  }
  return unused;
}

function toBox({ from, slices }: Span, sliceWidth: number) {
  return { x: from * sliceWidth + 1.5, y: strip.top + 1.5, width: slices * sliceWidth - 3, height: strip.height - 3 };
}

function drawUnused(span: Span, sliceWidth: number, prefix: string): SvgElement {
  const { y, height, ...box } = toBox(span, sliceWidth);
  const ticks = Array.from({ length: span.slices - 1 }, (_, index) => (span.from + index + 1) * sliceWidth);
  const slices = span.slices === 1 ? `memory slice ${span.from}` : `memory slices ${span.from} to ${span.from + span.slices - 1}`;
  return element(
    'g',
    {},
    element('title', {}, `unused: ${slices}`),
    element('rect', { ...box, y, height, rx: 4, fill: `url(#${unusedId(prefix)})` }),
    ...ticks.map((tick) => element('line', { class: 'tick', x1: tick, x2: tick, y1: y, y2: y + height })),
  );
}

function drawOccupied(profile: string, span: Span, sliceWidth: number): SvgElement {
  const box = toBox(span, sliceWidth);
  const label = fitText('in use', othersStyle, box.width - 10, 4);
  return element(
    'g',
    {},
    element('title', {}, `${profile}@${span.from}: in use by others, left alone`),
    element('rect', { ...box, rx: 4, class: 'others' }),
    ...(label === '' ? [] : [drawLabel(label, box.x + 6, box.y + 17, othersStyle)]),
  );
}

function drawInstance(instance: PlanInstance, span: Span, sliceWidth: number, { prefix, services }: GpuDrawing): SvgElement {
  const key = services.get(instance.service);
  if (key === undefined) {
    throw inlayError('UNKNOWN_SERVICE', { message: `The plan places the service ${instance.service}, which it does not list.` });
  }
  const box = toBox(span, sliceWidth);
  const room = box.width - 12;
  const title = labelService(instance.service, key.number, room);
  const detail = labelSetting(instance, room);
  const load = { x: box.x + 6, y: box.y + box.height - 8, height: 3, rx: 1.5 };
  return element(
    'g',
    {},
    element('title', {}, describeInstance(instance)),
    drawServiceBox(key, box, prefix),
    drawLabel(title, box.x + 6, box.y + 16, nameStyle),
    ...(detail === '' ? [] : [drawLabel(detail, box.x + 6, box.y + 30, settingStyle)]),
    element('rect', { ...load, class: 'load-track', width: room }),
    element('rect', { ...load, class: 'load', width: room * Math.min(1, instance.plannedLoad) }),
  );
}

/** The whole name, or the number in the legend with as much of the name as says something, or the number alone. */
function labelService(name: string, number: number, room: number): string {
  if (estimateTextWidth(name, nameStyle) <= room) return name;
  const start = `${number} `;
  const shortened = fitText(name, nameStyle, room - estimateTextWidth(start, nameStyle), 5);
  return shortened === '' ? fitText(String(number), nameStyle, room) : `${start}${shortened}`;
}

function labelSetting({ profile, batch, processes, plannedLoad }: PlanInstance, room: number): string {
  const setting = `${batch}×${processes}`;
  const withLoad = `${setting} · ${formatPercent(plannedLoad)}`;
  const full = `${profile} · batch ${batch} × ${processes} · load ${formatPercent(plannedLoad)}`;
  return [full, withLoad, setting].find((text) => estimateTextWidth(text, settingStyle) <= room) ?? '';
}

function describeInstance(instance: PlanInstance): string {
  const { service, profile, start, batch, processes, capacityRps, plannedCapacityRps, plannedLoad, predictedP99Ms } = instance;
  return [
    `${service} on ${profile}@${start}`,
    `batch ${batch}, ${processes === 1 ? '1 process' : `${processes} processes`}`,
    `capacity ${formatQuantity(capacityRps)} req/s measured, ${formatQuantity(plannedCapacityRps)} planned`,
    `planned load ${formatPercent(plannedLoad)}`,
    ...(predictedP99Ms === null ? [] : [`predicted latency ${formatQuantity(predictedP99Ms)} ms`]),
  ].join('\n');
}
