import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMeasurementStore } from './measurement-store.js';

test('keeps the largest number and the first index of every key, as a map does', () => {
  const entry = fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.double({ min: 0, max: 1e3, noNaN: true }), fc.integer({ min: 0, max: 9 }));
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 4000, size: 'max' }), (entries) => {
      const store = createMeasurementStore();
      const expected = new Map<string, { value: number; index: number }>();
      for (const [number, value, index] of entries) {
        const key = `net,${number}`;
        const known = expected.get(key);
        if (known === undefined) expected.set(key, { value, index });
        else known.value = Math.max(known.value, value);
        expect(store.keepLargest(key, value, index)).toBe(known?.index ?? index);
      }
      expect(store.size).toBe(expected.size);
      for (const [key, { value }] of expected) expect(store.find(key)).toBe(value);
      expect(store.find('another')).toBeUndefined();
    }),
    { seed: 17, numRuns: 20 },
  );
});
