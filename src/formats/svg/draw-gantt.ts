import type { TransitionStep } from '../../demand/documents/transition.js';
import { drawLabel, type LabelStyle } from './draw-label.js';
import { element, type SvgElement } from './element.js';
import { fitText } from './fit-text.js';
import { drawServiceBox, type ServiceKey } from './service-key.js';
import { formatTime, listTicks } from './time-axis.js';

const rowHeight = 18;
const barHeight = 13;
const labelWidth = 210;
const axisHeight = 22;

const rowStyle: LabelStyle = { size: 11, tone: 'quiet' };
const gpuStyle: LabelStyle = { size: 11, bold: true };
const barStyle: LabelStyle = { size: 10, tone: 'on-block' };
const tickStyle: LabelStyle = { size: 10, tone: 'quiet', anchor: 'middle' };

/** A GPU of the chart, or one of its instances, with its steps. */
export interface GanttRow {
  readonly label: string;
  readonly isGpu: boolean;
  readonly steps: readonly TransitionStep[];
}

/** One row a GPU, holding its wipes, and beneath it one a place whose instance or pod changes; GPUs in the order of their first step. */
export function listRows(steps: readonly TransitionStep[]): readonly GanttRow[] {
  const gpus = new Map<string, Map<string, TransitionStep[]>>();
  for (const step of steps) {
    const places = gpus.get(step.gpu) ?? new Map<string, TransitionStep[]>();
    gpus.set(step.gpu, places);
    const place = step.kind === 'wipe-gpu' ? '' : `${step.profile}@${step.start}`;
    const own = places.get(place);
    if (own === undefined) places.set(place, [step]);
    else own.push(step);
  }
  return [...gpus].flatMap(([gpu, places]) => [
    { label: gpu, isGpu: true, steps: places.get('') ?? [] },
    ...[...places]
      .filter(([place]) => place !== '')
      .sort(([a], [b]) => startOf(a) - startOf(b) || (a < b ? -1 : 1))
      .map(([label, own]) => ({ label, isGpu: false, steps: own })),
  ]);
}

function startOf(place: string): number {
  return Number(place.slice(place.lastIndexOf('@') + 1));
}

/** Height of a chart of so many rows, its time axis included. */
export function ganttHeight(rows: number): number {
  return axisHeight + rows * rowHeight;
}

/** Where the chart stands and what time it covers. */
export interface GanttFrame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly endS: number;
  readonly prefix: string;
  readonly services: ReadonlyMap<string, ServiceKey>;
}

/** Steps over time: starting pods in the colour of their service, stopping ones pale. */
export function drawGantt(rows: readonly GanttRow[], frame: GanttFrame): readonly SvgElement[] {
  const left = frame.x + labelWidth;
  // The last tick is centred on the right edge, so that its label needs room.
  const scale = (frame.width - labelWidth - 24) / Math.max(frame.endS, 1e-9);
  const bottom = frame.y + ganttHeight(rows.length);
  const ticks = listTicks(frame.endS, 10).flatMap((atS) => [
    element('line', { class: 'rule', x1: left + atS * scale, x2: left + atS * scale, y1: frame.y + axisHeight - 4, y2: bottom }),
    drawLabel(formatTime(atS), left + atS * scale, frame.y + 12, tickStyle),
  ]);
  const bars = rows.flatMap(({ label, isGpu, steps }, index) => {
    const y = frame.y + axisHeight + index * rowHeight;
    const style = isGpu ? gpuStyle : rowStyle;
    const indent = isGpu ? 0 : 14;
    const text = drawLabel(fitText(label, style, labelWidth - indent - 12), frame.x + indent, y + 12, style);
    return [
      text,
      ...steps.map((step) =>
        drawBar(step, { x: left + step.startS * scale, y: y + 2, width: Math.max(1.5, (step.endS - step.startS) * scale) }, frame),
      ),
    ];
  });
  return [...ticks, ...bars];
}

function drawBar(
  step: TransitionStep,
  place: { readonly x: number; readonly y: number; readonly width: number },
  frame: GanttFrame,
): SvgElement {
  const box = { ...place, height: barHeight };
  const title = element('title', {}, describeStep(step));
  if (step.kind === 'create-instance' || step.kind === 'delete-instance' || step.kind === 'wipe-gpu') {
    const fill = { 'create-instance': 'made', 'delete-instance': 'dropped', 'wipe-gpu': 'wiped' }[step.kind];
    return element('g', {}, title, element('rect', { ...box, rx: 2, class: fill }));
  }
  const key = frame.services.get(step.service);
  if (key === undefined) return element('g', {}, title, element('rect', { ...box, rx: 2, class: 'dropped' }));
  if (step.kind === 'stop-pod')
    return element(
      'g',
      {},
      title,
      element('rect', { ...box, rx: 2, fill: key.colour, class: 'fading' }),
      element('rect', { ...box, rx: 2, class: 'edge' }),
    );
  const label = fitText(`${key.number} ${step.service}`, barStyle, box.width - 8, String(key.number).length + 2);
  return element(
    'g',
    {},
    title,
    drawServiceBox(key, box, frame.prefix),
    ...(label === '' ? [] : [drawLabel(label, box.x + 4, box.y + 10, barStyle)]),
  );
}

function describeStep(step: TransitionStep): string {
  const times = `${formatTime(step.startS)} to ${formatTime(step.endS)}`;
  const after =
    step.after.length === 0
      ? ''
      : `\nafter ${step.after.slice(0, 12).join(', ')}${step.after.length > 12 ? ` and ${step.after.length - 12} more` : ''}`;
  const layout =
    step.kind === 'wipe-gpu'
      ? step.layout.map(({ profile, start }) => `${profile}@${start}`).join(' ') || 'released'
      : `${step.profile}@${step.start}`;
  const pod = 'service' in step ? `${step.service} ${step.batch}×${step.processes} on ` : '';
  return `${step.id} ${step.kind}: ${pod}${step.gpu} ${layout}\n${times}${after}`;
}
