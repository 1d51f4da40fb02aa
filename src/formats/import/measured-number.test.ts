import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseMeasuredNumber } from './measured-number.js';

test.each([
  ['512.4', 512.4],
  [' 8731 ', 8731],
  ['.5', 0.5],
  ['2.5e3', 2500],
  ['1,184.2', 1184.2],
  ['1,184', 1184],
  ['12,345,678', 12345678],
  ['1.184,2', 1184.2],
  ['1.215.000.000,00', 1215000000],
  ['1.184', 1.184],
])('%j is %d', (text, value) => {
  expect(parseMeasuredNumber(text)).toMatchObject({ kind: 'number', value });
});

test.each(['', 'NaN', 'nan', 'N/A', 'n/a', 'inf', '-Infinity', 'null', '1e999'])('%j is not finite', (text) => {
  expect(parseMeasuredNumber(text)).toEqual({ kind: 'not-finite' });
});

test.each(['fast', '12,5', '1,18,4', '0x10', '1 184', '8ms', '--1', '1.2.3'])('%j is no number', (text) => {
  expect(parseMeasuredNumber(text)).toEqual({ kind: 'wrong' });
});

test('numbers with thousands separators say so and mean the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 1e12 }), (value) => {
      expect(parseMeasuredNumber(String(value))).toEqual({ kind: 'number', value });
      expect(parseMeasuredNumber(value.toLocaleString('en-US'))).toEqual({ kind: 'number', value, separators: true });
    }),
    { seed: 3, numRuns: 200 },
  );
});
