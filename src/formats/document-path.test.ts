import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatPath, parsePath } from './document-path.js';

test('paths read as users write them', () => {
  expect(formatPath(['spec', 'services', 3, 'rateRps'])).toBe('spec.services[3].rateRps');
  expect(formatPath(['bound', 'slicePrices', 'a100', '1g.10gb'])).toBe('bound.slicePrices.a100["1g.10gb"]');
  expect(formatPath([])).toBe('');
});

test('a written path leads back to its segments, whatever the keys', () => {
  const segment = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.nat(), fc.constantFrom('a.b', '[0]', '"', '\\', '__proto__'));
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
      expect(parsePath(formatPath(segments))).toEqual(segments);
    }),
    { seed: 1, numRuns: 500 },
  );
});
