import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServedService } from './manifests.js';
import { type Backend, mostBackends, totalWeight, writeRoute, writeTypeService } from './routes.js';
import { wholeWeights } from './whole-weights.js';

const served: ServedService = {
  namespace: 'vision',
  workload: 'media',
  service: {
    name: 'tags',
    model: 'm',
    rateRps: 1,
    latencyMs: 1,
    port: 8000,
    template: { spec: { containers: [{ name: 'server' }] } },
  },
};
const backend = (profile: string, rps: number, batch = 1): Backend => ({
  gpuModel: 'A100-80GB',
  profile,
  batch,
  processes: 1,
  rps,
});

describe('wholeWeights', () => {
  it('shares the total in whole numbers, each less than 1 from its exact share, and more to whom more is due', () => {
    const rates = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 1e-9, max: 1e9, noNaN: true })), { minLength: 1, maxLength: 16 });
    fc.assert(
      fc.property(rates, fc.integer({ min: 1, max: 1_000_000 }), (all, total) => {
        const weights = wholeWeights(all, total);
        const sum = all.reduce((so, rate) => so + rate, 0);
        expect(weights.reduce((so, weight) => so + weight, 0)).toBe(sum === 0 ? 0 : total);
        for (const [index, weight] of weights.entries()) {
          const rate = all[index] as number;
          expect(Number.isInteger(weight) && weight >= 0).toBe(true);
          expect(Math.abs(weight - (sum === 0 ? 0 : (rate / sum) * total))).toBeLessThan(1);
          for (const [other, more] of all.entries()) if (more > rate) expect(weights[other]).toBeGreaterThanOrEqual(weight);
        }
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  it.each([
    [[1, 1, 1], 10, [4, 3, 3]],
    [[3, 1], 10_000, [7500, 2500]],
    [[2, 1], 10_000, [6667, 3333]],
    [[0, 0], 10, [0, 0]],
  ])('%j of %i is %j', (rates, total, weights) => expect(wholeWeights(rates, total)).toEqual(weights));
});

describe('writeRoute', () => {
  it('names the gateway, one host name a service, and the Service of each type with its share', () => {
    const small = backend('1g.10gb', 100);
    const large = backend('3g.40gb', 300);
    expect(writeRoute(served, { name: 'public', namespace: 'edge', hostname: 'example.com' }, [small, large])?.spec).toEqual({
      parentRefs: [{ name: 'public', namespace: 'edge' }],
      hostnames: ['tags.example.com'],
      rules: [
        {
          backendRefs: [
            { name: writeTypeService(served, small).metadata.name, port: 8000, weight: 2500 },
            { name: writeTypeService(served, large).metadata.name, port: 8000, weight: 7500 },
          ],
        },
      ],
    });
    expect(writeRoute(served, { name: 'public' }, [small])?.spec).toMatchObject({
      parentRefs: [{ name: 'public', namespace: 'vision' }],
      hostnames: ['tags.media.vision'],
    });
  });

  it('does not depend on the order of the types, and names no more of them than a rule may', () => {
    const types = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 0, max: 50 })), {
      selector: ([batch]) => batch,
      maxLength: 24,
    });
    fc.assert(
      fc.property(
        types.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          const [route, same] = [all, shuffled].map((list) =>
            writeRoute(
              served,
              { name: 'public' },
              list.map(([batch, rps]) => backend('1g.10gb', rps, batch)),
            ),
          );
          expect(same).toEqual(route);
          const refs = route?.spec.rules[0]?.backendRefs ?? [];
          expect(refs.length).toBe(Math.min(mostBackends, all.filter(([, rps]) => rps > 0).length));
          if (refs.length > 0) expect(refs.reduce((sum, { weight }) => sum + weight, 0)).toBe(totalWeight);
        },
      ),
      { seed: 12, numRuns: 200 },
    );
  });
});
