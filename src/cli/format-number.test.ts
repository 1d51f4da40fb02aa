import { expect, test } from 'vitest';
import { formatCount, formatNumber } from './format-number.js';

test.each([
  [0, '0'],
  [1e-9, '1e-9'],
  [0.5, '0.5'],
  [12.34567, '12.35'],
  [204.5, '204.5'],
  [1234.56, '1234.6'],
  [48_206, '48206'],
  [1e9, '1000000000'],
])('%d reads %s', (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

test('one GPU, two GPUs, no GPUs', () => {
  expect([1, 2, 0].map((count) => formatCount(count, 'GPU'))).toEqual(['1 GPU', '2 GPUs', '0 GPUs']);
});
