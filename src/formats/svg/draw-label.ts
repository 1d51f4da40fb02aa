import { element, type SvgElement } from './element.js';
import type { Font } from './fit-text.js';

/** How a text looks. */
export interface LabelStyle extends Font {
  /** `quiet` for what is read second, `on-block` for text on the light fill of a service. */
  readonly tone?: 'quiet' | 'on-block';
  readonly anchor?: 'middle' | 'end';
}

/** One line of text with its baseline at `y`. */
export function drawLabel(text: string, x: number, y: number, { size, bold, tone, anchor }: LabelStyle): SvgElement {
  const className = [tone ?? [], bold ? 'strong' : []].flat().join(' ');
  return element('text', { x, y, 'font-size': size, class: className || undefined, 'text-anchor': anchor }, text);
}
