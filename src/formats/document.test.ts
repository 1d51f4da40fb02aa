import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { parseDocument } from './document.js';
import type { PathSegments } from './document-path.js';
import type { Position } from './parsed-document.js';
import { problemLines, problemsOf } from './problem-lines.fixture.js';

const faultsOf = async (text: string, file: string) => problemLines(await problemsOf(() => parseDocument(text, file)));

describe('parseDocument', () => {
  test('takes text for JSON by its name, or by its first character when the name does not say', () => {
    expect(parseDocument('{"a": 1}', 'x.json').value).toEqual({ a: 1 });
    expect(parseDocument(' {"a": 1}', '/dev/stdin').value).toEqual({ a: 1 });
    expect(parseDocument('{a: 1}', 'x.yaml').value).toEqual({ a: 1 });
    expect(parseDocument('a: 1', 'x.txt').value).toEqual({ a: 1 });
  });

  test('reads CRLF, comments and names in any script', () => {
    expect(parseDocument('# names\r\nname: 模型 ümlaut\r\nlist:\r\n  - 1\r\n', 'x.yaml').value).toEqual({ name: '模型 ümlaut', list: [1] });
  });

  test('reads YAML 1.2: no and dates are text, keys are text', () => {
    expect(parseDocument('a: no\nb: 2024-01-02\n7: x', 'x.yaml').value).toEqual({ a: 'no', b: '2024-01-02', 7: 'x' });
  });

  test('writes aliases out', () => {
    expect(parseDocument('a: &x {b: 1}\nc: [*x, *x]', 'x.yaml').value).toEqual({ a: { b: 1 }, c: [{ b: 1 }, { b: 1 }] });
  });

  test('keeps a __proto__ key as data', () => {
    for (const file of ['x.json', 'x.yaml']) {
      const { value } = parseDocument('{"__proto__": {"a": 1}}', file);
      expect(Object.keys(value as object)).toEqual(['__proto__']);
      expect(Reflect.getPrototypeOf(value as object)).toBe(Object.prototype);
    }
  });
});

describe('texts that are refused', () => {
  test.each([
    ['truncated', '{"a": [1, 2', 'x.json', 'x.json:1:12 SYNTAX received the end of the file'],
    ['trailing comma', '{"a": 1,}', 'x.json', 'x.json:1:9 SYNTAX received "}"'],
    ['comment', '{"a": 1 // one\n}', 'x.json', 'x.json:1:9 SYNTAX received "// one"'],
    ['open string', '{"a": "b\n}', 'x.json', 'x.json:1:7 SYNTAX received "\\"b"'],
    ['empty', '', 'x.json', 'x.json:1:1 SYNTAX received the end of the file'],
    [
      'duplicate keys',
      '{"a": 1,\n "b": {"c": 1, "\\u0063": 2},\n "a": 3}',
      'x.json',
      ['x.json:2:16 SYNTAX expected each key once', 'x.json:3:2 SYNTAX expected each key once'].join('\n'),
    ],
    ['deep', '['.repeat(1_000_000), 'x.json', 'x.json:1:65 TOO_DEEP expected at most 64 levels'],
    ['deep objects', '{"a":'.repeat(1_000_000), 'x.json', 'x.json:1:321 TOO_DEEP expected at most 64 levels'],
    ['open flow', 'a: [1, 2', 'x.yaml', 'x.yaml:1:9 SYNTAX'],
    ['tab', 'a:\n\tb: 1', 'x.yaml', 'x.yaml:2:1 SYNTAX'],
    ['duplicate keys', 'a: 1\nb: {c: 1, c: 2}\na: 2', 'x.yaml', ['x.yaml:2:11 SYNTAX', 'x.yaml:3:1 SYNTAX'].join('\n')],
    ['two documents', 'a: 1\n---\nb: 2', 'x.yaml', 'x.yaml:2:1 SYNTAX expected one document'],
    ['unknown tag', 'a: !secret x', 'x.yaml', 'x.yaml:1:4 SYNTAX'],
    ['mapping as key', '? {a: 1}\n: 2', 'x.yaml', 'x.yaml:1:3 SYNTAX expected a key that is text'],
    ['deep flow', '['.repeat(1_000_000), 'x.yaml', 'x.yaml:1:67 TOO_DEEP expected at most 64 levels'],
    ['deep block', '- '.repeat(1_000_000), 'x.yaml', 'x.yaml:1:132 TOO_DEEP expected at most 64 levels'],
    [
      'deep mappings',
      Array.from({ length: 500 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'),
      'x.yaml',
      'x.yaml:66:67 TOO_DEEP expected at most 64 levels',
    ],
    ['alias without anchor', 'a: *nowhere', 'x.yaml', 'x.yaml:1:4 SYNTAX expected an alias of an earlier anchor'],
    ['alias inside its anchor', 'a: &a [1, *a]', 'x.yaml', 'x.yaml:1:11 SYNTAX expected an alias of an earlier anchor'],
    ['alias bomb', aliasBomb(12), 'x.yaml', 'x.yaml:8:9 TOO_DEEP expected at most 2000000 nodes received more'],
    ['deep by aliases', deepAliases(80), 'x.yaml', 'x.yaml:66:11 TOO_DEEP expected at most 64 levels'],
    ['many aliases', `a: &a 1\nb: [${'*a, '.repeat(10_001)}]`, 'x.yaml', 'x.yaml:2:40005 TOO_MANY expected at most 10000'],
    ['large YAML', '#'.repeat(9 * 1024 * 1024), 'x.yaml', 'x.yaml FILE_TOO_LARGE expected at most 8 MiB received 9 MiB'],
  ])('%s', async (_name, text, file, faults) => {
    expect(await faultsOf(text, file)).toBe(faults);
  });
});

function aliasBomb(levels: number): string {
  const lines = Array.from({ length: levels }, (_, level) => `a${level + 1}: &a${level + 1} [${Array(9).fill(`*a${level}`).join(', ')}]`);
  return ['a0: &a0 boom', ...lines].join('\n');
}

function deepAliases(levels: number): string {
  return ['a0: &a0 x', ...Array.from({ length: levels }, (_, level) => `a${level + 1}: &a${level + 1} [*a${level}]`)].join('\n');
}

describe('locate', () => {
  const key = fc.string({ minLength: 1, maxLength: 5 }).filter((text) => text !== '__proto__');
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(1, true, 'text', 'zwei Wörter'),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));

  test.each([
    ['JSON', 'x.json', (value: unknown) => JSON.stringify(value, null, 2)],
    ['compact JSON', 'x.json', (value: unknown) => JSON.stringify(value)],
    ['block YAML', 'x.yaml', (value: unknown) => stringify(value)],
    ['flow YAML', 'x.yaml', (value: unknown) => stringify(value, { collectionStyle: 'flow' })],
  ])('finds every value and key of a %s document where it stands', (_name, file, write) => {
    fc.assert(
      fc.property(fc.dictionary(key, tree, { maxKeys: 4, noNullPrototype: true }), (value) => {
        const text = write(value);
        const source = parseDocument(text, file);
        for (const path of pathsOf(value)) {
          const rest = textAt(text, source.locate(path));
          const inner = valueAt(value, path);
          if (typeof inner !== 'object') expect(rest.replace(/^["']/, '').startsWith(String(inner))).toBe(true);
          else if (file === 'x.json') expect(rest[0]).toBe(Array.isArray(inner) ? '[' : '{');
          const last = path.at(-1);
          if (typeof last === 'string' && /^[a-z]+$/.test(last)) {
            expect(textAt(text, source.locate(path, 'key')).replace(/^["']/, '').startsWith(last)).toBe(true);
          }
        }
      }),
      { seed: 7, numRuns: 100 },
    );
  });

  test('falls back to the deepest part that exists', () => {
    for (const file of ['x.json', 'x.yaml']) {
      const source = parseDocument('{"a":\n {"b": 1}}', file);
      expect(source.locate(['a', 'c', 'd'])).toEqual({ line: 2, column: 2 });
      expect(source.locate(['z'])).toEqual({ line: 1, column: 1 });
    }
  });

  test('looks through aliases to where the value is written', () => {
    const source = parseDocument('a: &x {b: 1}\nc: *x', 'x.yaml');
    expect(source.locate(['c', 'b'])).toEqual({ line: 1, column: 11 });
  });
});

function pathsOf(value: unknown, path: PathSegments = []): readonly PathSegments[] {
  if (typeof value !== 'object' || value === null) return [path];
  const segments = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [path, ...segments.flatMap((segment) => pathsOf(Reflect.get(value, segment), [...path, segment]))];
}

function valueAt(value: unknown, path: PathSegments): unknown {
  return path.reduce((inner: unknown, segment) => Reflect.get(inner as object, segment), value);
}

function textAt(text: string, { line, column }: Position): string {
  return text
    .split('\n')
    .slice(line - 1)
    .join('\n')
    .slice(column - 1);
}
