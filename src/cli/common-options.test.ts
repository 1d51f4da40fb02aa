import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { parseCount, parseDurationMs, parseList } from './common-options.js';

test('durations are read with their unit; seconds when there is none', () => {
  expect(['500ms', '10s', '2m', '1h', '0', '1.5'].map(parseDurationMs)).toEqual([500, 10_000, 120_000, 3_600_000, 0, 1500]);
});

test.each(['', '-1s', '1e3', '10 s', '5d', 'NaN', 's'])('%j is not a duration', (text) => {
  expect(() => parseDurationMs(text)).toThrow(InvalidArgumentError);
});

test.each(['', '-1', '1.5', '1e3', '0x10', '99999999999999999999'])('%j is not a count', (text) => {
  expect(() => parseCount(text)).toThrow(InvalidArgumentError);
});

test('counts are whole numbers from 0', () => {
  expect(['0', '7', '100000'].map(parseCount)).toEqual([0, 7, 100_000]);
});

test('a list drops blanks and empty items', () => {
  expect(parseList(' 1g.10gb, 2g.20gb,,')).toEqual(['1g.10gb', '2g.20gb']);
});
