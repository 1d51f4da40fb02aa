import type { StateInstance } from '../../demand/documents/state.js';
import type { GpuModel } from '../../gpu/gpu-model.js';
import { findPlanProfile } from '../plan-hardware.js';
import { drawLabel, type LabelStyle } from './draw-label.js';
import { element, type SvgElement } from './element.js';
import { estimateTextWidth, fitText } from './fit-text.js';
import { formatQuantity } from './format-quantity.js';
import { drawServiceBox, type ServiceKey } from './service-key.js';
import { unusedId } from './texture-patterns.js';

/** Height of a strip. */
export const stripHeight = 34;

/** What drawing any strip of one picture needs. */
export interface StripDrawing {
  readonly width: number;
  readonly prefix: string;
  readonly services: ReadonlyMap<string, ServiceKey>;
}

const nameStyle: LabelStyle = { size: 11, bold: true, tone: 'on-block' };
const settingStyle: LabelStyle = { size: 10, tone: 'on-block' };
const idleStyle: LabelStyle = { size: 10, tone: 'quiet' };

/** The instances of a state's GPU as a strip of memory slices with its top left corner at (x, y); `isMarked` ones are underlined. */
export function drawInstances(
  instances: readonly StateInstance[],
  model: GpuModel,
  x: number,
  y: number,
  drawing: StripDrawing,
  isMarked: (instance: StateInstance) => boolean,
): SvgElement {
  const slice = drawing.width / model.memorySlices;
  return element(
    'g',
    { transform: `translate(${x} ${y})` },
    element('rect', { class: 'slot', x: 0, y: 0, width: drawing.width, height: stripHeight, rx: 5 }),
    element('rect', {
      x: 1.5,
      y: 1.5,
      width: drawing.width - 3,
      height: stripHeight - 3,
      rx: 4,
      fill: `url(#${unusedId(drawing.prefix)})`,
    }),
    ...instances.map((instance) => {
      const slices = findPlanProfile(model, instance.profile).memorySlices;
      const box = { x: instance.start * slice + 1.5, y: 1.5, width: slices * slice - 3, height: stripHeight - 3 };
      return drawInstance(instance, box, drawing, isMarked(instance));
    }),
  );
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function drawInstance(instance: StateInstance, box: Box, { prefix, services }: StripDrawing, marked: boolean): SvgElement {
  const title = element('title', {}, describeInstance(instance));
  const key = instance.service === null ? undefined : services.get(instance.service);
  const room = box.width - 10;
  if (instance.reserved === true || instance.service === null || key === undefined) {
    const isOthers = instance.service !== null || instance.reserved === true;
    const label = isOthers ? fitText('in use', settingStyle, room, 4) : fitText('idle', idleStyle, room, 4);
    const fill = element('rect', { ...box, rx: 4, class: isOthers ? 'others' : 'slot' });
    return element(
      'g',
      {},
      title,
      fill,
      ...(label === '' ? [] : [drawLabel(label, box.x + 5, box.y + 13, isOthers ? settingStyle : idleStyle)]),
    );
  }
  const { batch = 1, processes = 1, profile } = instance;
  const number = String(key.number);
  const numbered = fitText(`${number} ${instance.service}`, nameStyle, room, number.length + 3);
  const setting = [`${profile} · ${batch}×${processes}`, `${batch}×${processes}`].find(
    (text) => estimateTextWidth(text, settingStyle) <= room,
  );
  return element(
    'g',
    {},
    title,
    drawServiceBox(key, box, prefix),
    drawLabel(numbered || fitText(number, nameStyle, room), box.x + 5, box.y + 13, nameStyle),
    ...(setting === undefined ? [] : [drawLabel(setting, box.x + 5, box.y + 24, settingStyle)]),
    ...(marked
      ? [element('rect', { class: 'load', x: box.x + 4, y: box.y + box.height - 4, width: box.width - 8, height: 2.5, rx: 1.2 })]
      : []),
  );
}

function describeInstance({ profile, start, service, batch = 1, processes = 1, capacityRps, reserved }: StateInstance): string {
  if (reserved === true) return `${profile}@${start}: in use by others, left alone`;
  if (service === null) return `${profile}@${start}: idle`;
  const capacity = capacityRps === undefined ? '' : `\ncapacity ${formatQuantity(capacityRps)} req/s`;
  return `${service} on ${profile}@${start}\nbatch ${batch}, ${processes === 1 ? '1 process' : `${processes} processes`}${capacity}`;
}
