import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkJsonText } from './check-json-text.js';

test('brackets and quotes inside strings do not count', () => {
  expect(checkJsonText('{"[[[\\"[": "{\\\\", "b": "\\\\\\"a\\": "}', 1)).toEqual({ kind: 'checked', duplicates: [] });
});

test('nesting is allowed up to the limit', () => {
  expect(checkJsonText('[[[]]]', 3).kind).toBe('checked');
  expect(checkJsonText('[[[]]]', 2)).toEqual({ kind: 'too-deep', offset: 2 });
});

test('keys are compared within one object only, escapes read', () => {
  expect(checkJsonText('[{"a": {"a": "a"}}, {"a": 1}]', 9)).toEqual({ kind: 'checked', duplicates: [] });
  expect(checkJsonText('{"a": 1, "\\u0061" : 2}', 9)).toEqual({ kind: 'checked', duplicates: [{ key: 'a', offset: 9 }] });
});

test('what JSON.stringify writes has no duplicate key, and with one added exactly that is found', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1, noNullPrototype: true });
  fc.assert(
    fc.property(object, fc.nat(), (value, pick) => {
      const text = JSON.stringify(value);
      expect(checkJsonText(text, 64)).toEqual({ kind: 'checked', duplicates: [] });
      const keys = Object.keys(value);
      const key = keys[pick % keys.length] as string;
      const doubled = `${text.slice(0, -1)},${JSON.stringify(key)}:null}`;
      expect(checkJsonText(doubled, 64)).toEqual({ kind: 'checked', duplicates: [{ key, offset: text.length }] });
    }),
    { seed: 3, numRuns: 300 },
  );
});

test('it comes to an end on any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ':', 'a', ' ') }), (text) => {
      checkJsonText(text, 64);
    }),
    { seed: 4, numRuns: 500 },
  );
});
