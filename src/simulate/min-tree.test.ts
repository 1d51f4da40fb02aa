import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MinTree } from './min-tree.js';

it('names the smallest key after any changes, the lower index among equals', () => {
  const key = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(Number.POSITIVE_INFINITY));
  fc.assert(
    fc.property(fc.array(key, { minLength: 1, maxLength: 20 }), fc.array(fc.tuple(fc.nat(19), key), { maxLength: 30 }), (keys, changes) => {
      const tree = new MinTree(keys);
      const now = [...keys];
      for (const [at, value] of changes) {
        tree.set(at % now.length, value);
        now[at % now.length] = value;
        expect(tree.least).toBe(now.indexOf(Math.min(...now)));
      }
    }),
    { seed: 3, numRuns: 200 },
  );
});
