import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, planId } from './canonical.js';

test('keys are sorted at every level, lists keep their order', () => {
  expect(canonicalJson({ b: [{ d: 1, c: undefined }, 2], a: null })).toBe('{"a":null,"b":[{"d":1},2]}');
});

test('the order in which keys were written does not matter, every value does', () => {
  const value = fc.dictionary(
    fc.string().filter((key) => key !== '__proto__'),
    fc.jsonValue({ maxDepth: 3 }),
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(value, (object) => {
      const reversed = Object.fromEntries(Object.entries(object).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(object));
      expect(JSON.parse(canonicalJson(object))).toEqual(JSON.parse(JSON.stringify(object)));
      expect(canonicalJson({ ...object, added: 1 })).not.toBe(canonicalJson({ ...object, added: 2 }));
    }),
    { seed: 2, numRuns: 200 },
  );
});

test('the id of a plan does not depend on the id it carries', () => {
  const plan = {
    apiVersion: 'inlay.dev/v1alpha1',
    kind: 'Plan',
    metadata: { name: 'small' },
    objective: 'gpus',
    strategy: 'exact',
    gpus: [],
    services: [],
    totals: { gpus: 0, cost: 0, instances: 0 },
    bound: { value: 0, gpus: 0, certificate: { slicePrices: {}, poolPrices: {} } },
    gap: 0,
    gapGpus: 0,
    optimal: true,
    stoppedBy: 'proof',
  } as const;
  const id = planId({ ...plan, gpus: [], services: [] });
  expect(id).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(planId({ ...plan, gpus: [], services: [], metadata: { name: 'small', id } })).toBe(id);
  expect(planId({ ...plan, gpus: [], services: [], gap: 0.1 })).not.toBe(id);
});
