import type { Position } from '../parsed-document.js';
import { positionAfter } from '../position-after.js';

/** A text put together from pieces of a file, which knows where in the file each of its characters stands. */
export interface MappedText {
  /** Characters. */
  readonly size: number;
  /** Adds a piece that begins at `start` in the file. */
  append(piece: string, start: Position): void;
  appendAll(other: MappedText): void;
  readonly pieces: readonly { readonly text: string; readonly start: Position; readonly offset: number }[];
  /** The last characters, at least `size` of them if there are so many. */
  tail(size: number): string;
  toString(): string;
  positionOf(offset: number): Position;
}

/** An empty text. */
export function createMappedText(): MappedText {
  const pieces: { readonly text: string; readonly start: Position; readonly offset: number }[] = [];
  let size = 0;
  const append = (text: string, start: Position) => {
    if (text === '') return;
    pieces.push({ text, start, offset: size });
    size += text.length;
  };
  return {
    get size() {
      return size;
    },
    pieces,
    append,
    appendAll(other) {
      for (const { text, start } of other.pieces) append(text, start);
    },
    tail(least) {
      let tail = '';
      for (let index = pieces.length - 1; index >= 0 && tail.length < least; index--) tail = `${pieces[index]?.text}${tail}`;
      return tail;
    },
    toString: () => pieces.map(({ text }) => text).join(''),
    positionOf(offset) {
      let low = 0;
      let high = pieces.length;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if ((pieces[middle]?.offset ?? 0) <= offset) low = middle;
        else high = middle;
      }
      const piece = pieces[low];
      return piece === undefined ? { line: 1, column: 1 } : positionAfter(piece.start, piece.text.slice(0, offset - piece.offset));
    },
  };
}
