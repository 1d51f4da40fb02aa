import { element, type SvgElement } from './element.js';

const texturePaths = [
  'M0 8L8 0M-2 2L2 -2M6 10L10 6',
  'M0 2H8M0 6H8',
  'M0 0L8 8M0 8L8 0',
  'M2 0V8M6 0V8',
  'M0 0L8 8M-2 6L2 10M6 -2L10 2',
] as const;

/** Pattern ids of one picture start with its `prefix`, because several pictures may end up in one HTML page. */
export function textureId(prefix: string, texture: number): string {
  return `${prefix}-texture-${texture}`;
}

/** Id of the hatching for what is not used. */
export function unusedId(prefix: string): string {
  return `${prefix}-unused`;
}

/** The `<defs>` that services and unused slices refer to. */
export function texturePatterns(prefix: string): SvgElement {
  const textures = texturePaths.map((path, index) => pattern(textureId(prefix, index + 1), path, 'texture'));
  return element('defs', {}, ...textures, pattern(unusedId(prefix), texturePaths[0], 'hatch'));
}

function pattern(id: string, path: string, className: string): SvgElement {
  return element('pattern', { id, width: 8, height: 8, patternUnits: 'userSpaceOnUse' }, element('path', { class: className, d: path }));
}
