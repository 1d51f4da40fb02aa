import { element, type SvgElement } from './element.js';
import { type ServiceLook, serviceLook } from './palette.js';
import { textureId } from './texture-patterns.js';

/** What ties a block to its service: the number in the legend, and the fill. */
export interface ServiceKey extends ServiceLook {
  /** 1-based place in the list of services. */
  readonly number: number;
}

/** Keys of all services by name. */
export function keyServices(services: readonly { readonly name: string }[]): ReadonlyMap<string, ServiceKey> {
  return new Map(services.map(({ name }, index) => [name, { number: index + 1, ...serviceLook(index) }]));
}

/** A rounded box in the look of a service. */
export function drawServiceBox(key: ServiceKey, box: Readonly<Record<'x' | 'y' | 'width' | 'height', number>>, prefix: string): SvgElement {
  const shape = { ...box, rx: 4 };
  const texture = key.texture === 0 ? [] : [element('rect', { ...shape, fill: `url(#${textureId(prefix, key.texture)})` })];
  return element('g', {}, element('rect', { ...shape, fill: key.colour }), ...texture, element('rect', { ...shape, class: 'edge' }));
}
