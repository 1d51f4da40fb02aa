import type { Position } from './parsed-document.js';

/** The place just after `text`, which begins at `start`. */
export function positionAfter(start: Position, text: string): Position {
  const last = text.lastIndexOf('\n');
  if (last < 0) return { line: start.line, column: start.column + text.length };
  let line = start.line;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) line += 1;
  return { line, column: text.length - last };
}
