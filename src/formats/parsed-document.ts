import type { PathSegments } from './document-path.js';

/** A place in a text, both parts counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The value of a document and where each part of it stands in the text. */
export interface ParsedDocument {
  readonly file: string;
  readonly value: unknown;
  /**
   * Where the value at `path` stands, or with part `key` the key of its last segment. A path that leads nowhere is
   * located at the deepest part that exists.
   */
  locate(path: PathSegments, part?: 'value' | 'key'): Position;
}

/** Turns offsets of one text into positions; building it costs one pass over the text. */
export function createPositionFinder(text: string): (offset: number) => Position {
  const lineStarts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) lineStarts.push(end + 1);
  return (offset) => {
    let low = 0;
    let high = lineStarts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((lineStarts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (lineStarts[low] as number) + 1 };
  };
}
