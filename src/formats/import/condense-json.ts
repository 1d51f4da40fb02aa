import { inlayError } from '../../errors.js';
import { formatBytes } from '../format-bytes.js';
import { parseJsonDocument } from '../json-document.js';
import { limits } from '../limits.js';
import type { Position } from '../parsed-document.js';
import { positionAfter } from '../position-after.js';
import { createMappedText, type MappedText } from './mapped-text.js';

/** A list of the outermost object that is wanted entry by entry. */
export interface WantedList {
  readonly key: string;
  /** Takes some entries, in order; `locate` tells where the one at an index of them stands. */
  take(entries: readonly unknown[], locate: (index: number) => Position): void;
}

/** Lists are read in parts of about so many characters; a list that has no more is left as it is. */
const defaultPartSize = 64 * 1024;

/** Most characters of one entry of a list: the single tokens of one request take less. */
const longestEntry = 4 * 1024 * 1024;

const signs = /["[\]{}]|NaN|-?Infinity/g;
const signsAndCommas = /["[\]{},]|NaN|-?Infinity/g;
const endsOfString = /["\\]/g;

/** Pieces may cut `-Infinity` in two. */
const cutWord = /-?[A-Za-z]{0,8}$/;

/**
 * Reads JSON text with long lists left empty, so that memory does not grow with them; their entries are checked all the same. NaN and
 * infinities, which Python writes and JSON does not know, become null. The wanted list is always left empty. What is wrong outside
 * of long lists is left for whoever parses the answer. Throws InlayError with file, line and column.
 */
export async function condenseJson(
  pieces: AsyncIterable<string>,
  file: string,
  wanted?: WantedList,
  partSize = defaultPartSize,
): Promise<MappedText> {
  const outline = createMappedText();
  let here: Position = { line: 1, column: 1 };
  let list: { readonly depth: number; readonly isWanted: boolean; part: MappedText; parts: number } | undefined;
  let depth = 0;
  let inString = false;

  const put = (text: string, written = text) => {
    (list?.part ?? outline).append(written, here);
    here = positionAfter(here, text);
  };

  const takePart = () => {
    if (list === undefined) return;
    const { part, isWanted, parts } = list;
    const text = createMappedText();
    // A further part begins with its comma, so that a comma too many is found.
    const before = parts === 0 ? 0 : 1;
    const start = part.positionOf(0);
    text.append(before === 0 ? '[' : '[0', { line: start.line, column: start.column - 1 - before });
    text.appendAll(part);
    text.append(']', here);
    const document = parseJsonDocument(text.toString(), file, () => text.positionOf);
    const locate = (index: number) => document.locate([index + before]);
    if (isWanted) wanted?.take((document.value as unknown[]).slice(before), locate);
    list.part = createMappedText();
    list.parts += 1;
  };

  const openList = () => {
    const key = depth === 2 ? /"([^"\\]*)"\s*:\s*\[$/.exec(outline.tail(1000))?.[1] : undefined;
    list = { depth, isWanted: wanted !== undefined && key === wanted.key, part: createMappedText(), parts: 0 };
  };

  const closeList = () => {
    if (list === undefined) return;
    const { part, parts, isWanted } = list;
    if (parts > 0 || isWanted) takePart();
    else outline.appendAll(part);
    list = undefined;
  };

  /** Reads as much of `text` as can be read without what follows, and answers how much that is; it may be one more than there is. */
  const scan = (text: string, from: number): number => {
    let next = from;
    let taken = 0;
    const putUpTo = (end: number) => {
      put(text.slice(taken, end));
      taken = end;
    };
    for (;;) {
      const isFull = list !== undefined && list.part.size + next - taken > partSize;
      const pattern = inString ? endsOfString : isFull ? signsAndCommas : signs;
      pattern.lastIndex = next;
      const match = pattern.exec(text);
      if (match === null) break;
      const [sign] = match;
      next = match.index + sign.length;
      if (sign === '"') inString = !inString;
      else if (sign === '\\') next += 1;
      else if (sign === ',') {
        if (list?.depth !== depth) continue;
        putUpTo(match.index);
        takePart();
      } else if (sign === '[' || sign === '{') {
        depth += 1;
        if (sign === '{' || list !== undefined) continue;
        putUpTo(next);
        openList();
      } else if (sign === ']' || sign === '}') {
        if (list?.depth === depth) {
          putUpTo(match.index);
          closeList();
        }
        depth -= 1;
      } else {
        putUpTo(match.index);
        put(sign, 'null');
        taken = next;
      }
    }
    const rest = inString || next > text.length ? 0 : (cutWord.exec(text.slice(Math.max(next, text.length - 9)))?.[0].length ?? 0);
    putUpTo(text.length - rest);
    return inString ? Math.max(next, text.length) : text.length - rest;
  };

  let held = '';
  let skip = 0;
  for await (const piece of pieces) {
    const text = held + piece;
    const end = scan(text, skip);
    skip = Math.max(0, end - text.length);
    held = text.slice(end);
    if (list !== undefined && list.part.size > longestEntry) throw entryTooLong(list.part, file);
    if (outline.size > limits.measurementJsonBytes.value) throw outlineTooLarge(file);
  }
  put(held);
  if (list !== undefined) {
    // The text ends inside a list: the parser is to say so, and where.
    if (list.parts > 0) outline.append('0', here);
    outline.appendAll(list.part);
  }
  return outline;
}

function entryTooLong(part: MappedText, file: string) {
  return inlayError('SYNTAX', {
    message: `An entry of a list of ${file} does not end.`,
    file,
    ...part.positionOf(0),
    expected: `entries of at most ${formatBytes(longestEntry)}`,
    hint: 'Check that the file is of the format that the command imports.',
  });
}

function outlineTooLarge(file: string) {
  return inlayError('FILE_TOO_LARGE', {
    message: `${file} is larger than such a file may be.`,
    file,
    expected: `at most ${formatBytes(limits.measurementJsonBytes.value)} outside of long lists`,
    received: 'more',
  });
}
