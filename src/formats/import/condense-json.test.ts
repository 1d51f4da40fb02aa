import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonDocument } from '../json-document.js';
import type { Position } from '../parsed-document.js';
import { problemLines, problemsOf } from '../problem-lines.fixture.js';
import { condenseJson } from './condense-json.js';

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
}

/** The value with long lists empty, the entries of the list `wanted` of the outermost object, and where each stands. */
async function condense(text: string, pieceSize: number, partSize: number) {
  const entries: unknown[] = [];
  const places: Position[] = [];
  const take = (part: readonly unknown[], locate: (index: number) => Position) => {
    entries.push(...part);
    places.push(...part.map((_, index) => locate(index)));
  };
  const outline = await condenseJson(pieces(text, pieceSize), 'a.json', { key: 'wanted', take }, partSize);
  const source = parseJsonDocument(outline.toString(), 'a.json', () => outline.positionOf);
  return { value: source.value, source, entries, places };
}

const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });
const object = fc.dictionary(fc.string(), json, { noNullPrototype: true });
const written = (value: unknown, indent: number) => JSON.stringify(value, undefined, indent).replaceAll('-0,', '0,');

test('the pieces in which a text comes change nothing, and short lists stay', async () => {
  await fc.assert(
    fc.asyncProperty(json, fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 2 }), async (value, size, indent) => {
      const text = written(value, indent);
      expect((await condense(text, size, 1e6)).value).toEqual(JSON.parse(text));
    }),
    { seed: 11, numRuns: 200 },
  );
});

test('long lists are empty, all else is as written, and every entry of the wanted list is told, with its place', async () => {
  const emptied = (value: unknown): unknown => {
    if (Array.isArray(value)) return [];
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, emptied(inner)]));
  };
  const shape = fc.tuple(object, fc.array(json), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 2 }));
  await fc.assert(
    fc.asyncProperty(shape, async ([others, wanted, size, indent]) => {
      const text = written({ ...others, wanted }, indent);
      const condensed = await condense(text, size, 0);
      const whole = parseJsonDocument(text, 'a.json');
      expect(condensed.entries).toEqual((JSON.parse(text) as { wanted: unknown[] }).wanted);
      expect(condensed.places).toEqual(wanted.map((_, index) => whole.locate(['wanted', index])));
      // A list of one entry has no comma at which it could be cut.
      expect(emptied(condensed.value)).toEqual(emptied(JSON.parse(text)));
      for (const key of Object.keys(others)) expect(condensed.source.locate([key])).toEqual(whole.locate([key]));
    }),
    { seed: 12, numRuns: 200 },
  );
});

test('what is wrong anywhere is found, and the first place of a text that is cut short is that of the whole text', async () => {
  const firstPlace = async (work: () => unknown): Promise<string> => {
    try {
      await work();
      return 'none';
    } catch (error) {
      const [first] = await problemsOf(() => Promise.reject(error));
      return `${first?.code} ${first?.line}:${first?.column}`;
    }
  };
  const change = fc.constantFrom('', '"', '[', ']', '{', '}', ',', ':', '\\', 'x', '1', '-', '\u0001');
  let wrong = 0;
  const texts = fc.tuple(object, fc.array(json, { minLength: 3 }), fc.nat(), change, fc.boolean());
  await fc.assert(
    fc.asyncProperty(texts, async ([others, list, at, instead, cut]) => {
      const good = written({ list, ...others, more: list }, 1);
      const place = at % good.length;
      const text = cut ? good.slice(0, place) : `${good.slice(0, place)}${instead}${good.slice(place + 1)}`;
      const expected = await firstPlace(() => parseJsonDocument(text, 'a.json'));
      const found = await firstPlace(() => condense(text, 7, 5));
      if (expected !== 'none') wrong += 1;
      expect(cut ? found : found === 'none').toEqual(cut ? expected : expected === 'none');
    }),
    { seed: 13, numRuns: 300 },
  );
  expect(wrong).toBeGreaterThan(200);
});

describe('a fault', () => {
  const faults = async (text: string) => problemLines(await problemsOf(() => condense(text, 4, 6))).replace('a.json:', '');

  test.each([
    ['{"a": [1, 2, 3, 4,\n 5, 6, x, 8], "b": 1}', '2:8'],
    ['{"a": [1, 2, 3, 4,\n 5, 6, 7, ], "b": 1}', '2:11'],
    ['{"a": [1, 2, 3, 4,\n 5, 6, 7}, "b": 1}', '2:9'],
    ['{"a": [1, 2, 3, 4,\n 5, 6, ', '2:8'],
    ['{"a": [[1, 2, 3, 4],\n [5, 6, 7, 8],\n [9, 10, 11, 12', '3:16'],
    ['{"a": [1, 2, 3, 4, 5, 6, 7, 8],\n "b": x}', '2:7'],
    ['{"a": [{"k": 1}, {"k": 2},\n {"k": 3, "k": 4}], "b": 1}', '2:11'],
  ])('in or after a long list has its place: %j', async (text, place) => {
    expect(await faults(text)).toMatch(new RegExp(`^${place} SYNTAX`));
  });

  test('may be nesting', async () => {
    expect(await faults(`{"a": [1, 2, 3, 4, 5,\n ${'['.repeat(100)}`)).toMatch(/^2:\d+ TOO_DEEP/);
    expect(await faults('['.repeat(100))).toMatch(/^1:65 TOO_DEEP/);
  });
});

test('numbers that JSON does not know are null, in strings they are left alone', async () => {
  const text = '{"a": NaN, "wanted": [1, NaN, -Infinity, "NaN, [Infinity"], "b": "x: NaN, y"}';
  for (const size of [1, 3, 100]) {
    expect(await condense(text, size, 4)).toMatchObject({ value: { a: null, b: 'x: NaN, y' }, entries: [1, null, null, 'NaN, [Infinity'] });
  }
});
