import type { StateDocument, StateGpu, StateInstance } from '../../demand/documents/state.js';
import type { TransitionDocument } from '../../demand/documents/transition.js';
import type { GpuModel } from '../../gpu/gpu-model.js';
import { findPlanModel } from '../plan-hardware.js';
import { listCapacities } from './capacity-timeline.js';
import { capacityHeight, drawCapacity } from './draw-capacity.js';
import { drawGantt, ganttHeight, listRows } from './draw-gantt.js';
import { drawInstances, type StripDrawing, stripHeight } from './draw-instances.js';
import { drawLabel, type LabelStyle } from './draw-label.js';
import { drawLegend, legendHeight } from './draw-legend.js';
import { contentWidth, drawHead, drawPage, margin } from './draw-page.js';
import type { SvgElement } from './element.js';
import { fitText } from './fit-text.js';
import { formatCount, formatQuantity } from './format-quantity.js';
import { keyServices, type ServiceKey } from './service-key.js';
import { formatTime } from './time-axis.js';
import { describeTransition, transitionFigures } from './transition-figures.js';

/** Beyond these the picture would be too long to look at; what is left out is counted in it. */
const mostGpus = 120;
const mostRows = 400;
const mostCharts = 120;
const mostServices = 300;

const headingStyle: LabelStyle = { size: 15, bold: true };
const quietStyle: LabelStyle = { size: 12, tone: 'quiet' };
const gpuStyle: LabelStyle = { size: 11 };

/** Parts of a picture from top to bottom, and where the next one begins. */
interface Section {
  readonly parts: readonly SvgElement[];
  readonly bottom: number;
}

interface Drawing {
  readonly prefix: string;
  readonly services: ReadonlyMap<string, ServiceKey>;
}

/**
 * A transition as an SVG document: GPUs that change before and after, the steps over time, and each service's ready capacity
 * against its floor. 1200 pixels wide. `models` has every GPU model that is named. Equal transitions give equal bytes.
 */
export function drawTransition(state: StateDocument, transition: TransitionDocument, models: readonly GpuModel[]): string {
  const { metadata, target, backend } = transition;
  const prefix = `transition-${(metadata.id ?? '').replace('sha256:', '').slice(0, 8)}`;
  const names = [...new Set([...target.services, ...state.services].map(({ name }) => name))];
  const drawing: Drawing = { prefix, services: keyServices(names.map((name) => ({ name }))) };
  const parts: SvgElement[] = drawHead(metadata.name, `backend ${backend} · floor ${transition.floor}`, transitionFigures(transition));
  let y = 148;
  for (const draw of [drawFleet, drawSteps, drawCapacities, drawServices]) {
    const section = draw(state, transition, y, drawing, models);
    parts.push(...section.parts);
    y = section.bottom;
  }
  return drawPage({ prefix, title: `Transition ${metadata.name}`, description: describeTransition(transition), height: y + 8 }, parts);
}

type DrawSection = (
  state: StateDocument,
  transition: TransitionDocument,
  y: number,
  drawing: Drawing,
  models: readonly GpuModel[],
) => Section;

const drawFleet: DrawSection = (state, { target }, y, drawing, models) => {
  const before = new Map(state.gpus.map((gpu) => [gpu.id, gpu]));
  const after = new Map(target.gpus.map((gpu) => [gpu.id, gpu]));
  const pairs = [...new Set([...before.keys(), ...after.keys()])].map((id) => ({ id, old: before.get(id), next: after.get(id) }));
  const changed = pairs.filter(({ old, next }) => contentOf(old) !== contentOf(next));
  if (changed.length === 0) return { parts: [drawLabel('No GPU changes.', margin, y + 6, headingStyle)], bottom: y + 30 };
  const gap = 36;
  const labelWidth = 150;
  const strip: StripDrawing = { ...drawing, width: (contentWidth - labelWidth - gap) / 2 };
  const left = margin + labelWidth;
  const parts: SvgElement[] = [
    drawLabel('GPUs that change', margin, y + 6, headingStyle),
    drawLabel('before; underlined: pods that stop', left, y + 28, quietStyle),
    drawLabel('after; underlined: pods that start', left + strip.width + gap, y + 28, quietStyle),
  ];
  let top = y + 38;
  for (const { id, old, next } of changed.slice(0, mostGpus)) {
    const model = findPlanModel(models, (old ?? next)?.type ?? '');
    const [oldKeys, nextKeys] = [podKeys(old), podKeys(next)];
    parts.push(
      drawLabel(fitText(id, gpuStyle, labelWidth - 10), margin, top + 21, gpuStyle),
      drawInstances(old?.instances ?? [], model, left, top, strip, (instance) => !nextKeys.has(podKey(instance))),
      drawLabel('→', left + strip.width + gap / 2 - 6, top + 22, { size: 14, tone: 'quiet' }),
      drawInstances(next?.instances ?? [], model, left + strip.width + gap, top, strip, (instance) => !oldKeys.has(podKey(instance))),
    );
    top += stripHeight + 6;
  }
  const hidden = Math.max(0, changed.length - mostGpus);
  const used = (gpu: StateGpu | undefined) => (gpu?.instances.length ?? 0) > 0;
  const still = pairs.filter(({ old, next }) => contentOf(old) === contentOf(next) && used(old)).length;
  const rest = [
    ...(hidden > 0 ? [`${formatCount(hidden, 'more GPU')} change, not drawn`] : []),
    ...(still > 0 ? [`${formatCount(still, 'GPU')} unchanged, not drawn`] : []),
  ];
  if (rest.length === 0) return { parts, bottom: top + 20 };
  return { parts: [...parts, drawLabel(rest.join('; '), margin, top + 12, quietStyle)], bottom: top + 42 };
};

const drawSteps: DrawSection = (_state, { steps, makespanS }, y, drawing) => {
  const rows = listRows(steps);
  if (rows.length === 0) return { parts: [], bottom: y };
  const shown = rows.slice(0, mostRows);
  const hidden = rows.length - shown.length;
  const frame = { ...drawing, x: margin, y: y + 14, width: contentWidth, endS: makespanS };
  const parts = [
    drawLabel('Steps', margin, y + 6, headingStyle),
    drawLabel(
      'green: instance created · grey: deleted · violet: GPU wiped · coloured: pod starts · pale: pod stops',
      margin + 70,
      y + 6,
      quietStyle,
    ),
    ...drawGantt(shown, frame),
    ...(hidden > 0
      ? [drawLabel(`and ${formatCount(hidden, 'more row')}, not drawn`, margin, frame.y + ganttHeight(shown.length) + 12, quietStyle)]
      : []),
  ];
  return { parts, bottom: frame.y + ganttHeight(shown.length) + (hidden > 0 ? 46 : 28) };
};

const drawCapacities: DrawSection = (state, transition, y, { prefix, services }) => {
  const lines = listCapacities(state, transition);
  if (lines.length === 0) return { parts: [], bottom: y };
  const shown = lines.slice(0, mostCharts);
  const columns = 4;
  const gap = 22;
  const width = (contentWidth - (columns - 1) * gap) / columns;
  const caption = `ready capacity (line) against the floor (dashed), 0 to ${formatTime(transition.makespanS)}${lines.length > shown.length ? `; ${lines.length - shown.length} more not drawn` : ''}`;
  const parts = [
    drawLabel('Services', margin, y + 6, headingStyle),
    drawLabel(caption, margin + 90, y + 6, quietStyle),
    ...shown.map((line, index) =>
      drawCapacity(line, {
        x: margin + (index % columns) * (width + gap),
        y: y + 16 + Math.floor(index / columns) * (capacityHeight + 12),
        width,
        endS: transition.makespanS,
        prefix,
        key: services.get(line.service) as ServiceKey,
      }),
    ),
  ];
  return { parts, bottom: y + 24 + Math.ceil(shown.length / columns) * (capacityHeight + 12) };
};

const drawServices: DrawSection = (state, { target }, y, { prefix, services }) => {
  const oldRates = new Map(state.services.map(({ name, rateRps }) => [name, rateRps]));
  const newRates = new Map(target.services.map(({ name, rateRps }) => [name, rateRps]));
  const entries = [...services.keys()].slice(0, mostServices).map((name) => {
    const rates = [oldRates, newRates].map((map) => (map.has(name) ? formatQuantity(map.get(name) ?? 0) : '–'));
    return { name, detail: `${rates.join(' → ')} req/s`, description: `${name}: ${rates.join(' → ')} req/s` };
  });
  const hidden = services.size - entries.length;
  const parts = [
    drawLabel(hidden > 0 ? `Key (${hidden} more services not listed)` : 'Key', margin, y + 6, headingStyle),
    ...drawLegend(entries, services, { x: margin, y: y + 22, width: contentWidth, prefix }),
  ];
  return { parts, bottom: y + 22 + legendHeight(entries.length) };
};

function contentOf(gpu: StateGpu | undefined): string {
  return [...podKeys(gpu)].sort().join('\n');
}

function podKeys(gpu: StateGpu | undefined): ReadonlySet<string> {
  return new Set(gpu?.instances.map(podKey));
}

function podKey({ profile, start, service, batch = 1, processes = 1 }: StateInstance): string {
  return JSON.stringify(service === null ? [profile, start] : [profile, start, service, batch, processes]);
}
