import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInCatalogue } from '../gpu/catalogue.js';
import { workloadSchema } from './documents/workload.js';
import { generateNight, generateWorkload, type WorkloadRecipe } from './generate-workload.js';
import { createPointFinder } from './operating-points.js';
import type { RawPerformanceRow } from './raw-performance-row.js';
import { resolveWorkload } from './resolve-workload.js';

const source = { file: 'table.csv', line: 2 };

/** Made-up rows: three models whose speed grows a little slower than their slices, one of which needs more than the smallest. */
const rows: readonly RawPerformanceRow[] = ['small', 'middle', 'large'].flatMap((model, m) =>
  [['1g.10gb', 1] as const, ['2g.20gb', 2] as const, ['3g.40gb', 3] as const, ['7g.80gb', 7] as const]
    .filter(([, slices]) => model !== 'large' || slices > 1)
    .flatMap(([profile, slices]) =>
      [1, 4, 16].flatMap((batch) =>
        [1, 2].map((processes): RawPerformanceRow => {
          const throughputRps = Math.round((1000 / 4 ** m) * slices ** 0.95 * batch ** 0.3 * processes ** 0.2);
          return {
            model,
            gpu: 'A100-80GB',
            profile,
            batch,
            processes,
            throughputRps,
            latencyMs: (1000 * batch * processes) / throughputRps,
            source,
          };
        }),
      ),
    ),
);

const aRecipe = (parts: Partial<WorkloadRecipe> = {}): WorkloadRecipe => ({
  name: 'made-up',
  services: 12,
  targetGpus: 20,
  distribution: 'lognormal',
  seed: 1,
  performance: ['table.csv'],
  pool: { name: 'a100', gpu: 'A100-80GB' },
  ...parts,
});

const latencyRules = fc.oneof(
  fc.record({ factor: fc.double({ min: 0.1, max: 2, noNaN: true }) }),
  fc.record({
    percentile: fc.constantFrom(50, 90, 99, 99.9),
    burstiness: fc.constantFrom(0, 1, 4),
    router: fc.constantFrom('round-robin' as const, 'random' as const),
    rule: fc.constantFrom('safe' as const, 'tight' as const),
  }),
);
const recipes = fc
  .record({
    services: fc.integer({ min: 1, max: 30 }),
    targetGpus: fc.double({ min: 0.5, max: 300, noNaN: true }),
    distribution: fc.constantFrom('normal' as const, 'lognormal' as const, 'heavy' as const),
    seed: fc.integer(),
    latency: latencyRules,
    maxProcesses: fc.constantFrom(1, 2, 48),
  })
  .map(aRecipe);

describe('generateWorkload', () => {
  it('gives a valid document in which every service has a row it can use', () => {
    fc.assert(
      fc.property(recipes, (recipe) => {
        const document = generateWorkload(recipe, rows, builtInCatalogue);
        expect(workloadSchema.parse(document)).toEqual(document);
        const { workload, problems } = resolveWorkload(document, rows, builtInCatalogue);
        expect(problems).toEqual([]);
        if (workload === undefined) return;
        const finder = createPointFinder(workload);
        for (const service of workload.services) {
          expect(finder.pointsOf(service, service.rateRps).some((point) => point !== undefined)).toBe(true);
          expect(service.rateRps).toBeGreaterThanOrEqual(0.1);
        }
      }),
      { seed: 5, numRuns: 60 },
    );
  });

  it('gives the same document for the same recipe, and another one for another seed', () => {
    const text = (seed: number) => JSON.stringify(generateWorkload(aRecipe({ seed }), rows, builtInCatalogue));
    expect(text(3)).toBe(text(3));
    expect(text(3)).not.toBe(text(4));
  });

  it('keeps the services of a seed when only the size of the fleet changes', () => {
    const services = (targetGpus: number) => generateWorkload(aRecipe({ targetGpus }), rows, builtInCatalogue).spec.services;
    const strip = (list: ReturnType<typeof services>) => list.map(({ rateRps: _, ...rest }) => rest);
    expect(strip(services(10))).toEqual(strip(services(1000)));
    expect(services(1000).every(({ rateRps }, i) => rateRps > (services(10)[i]?.rateRps ?? 0))).toBe(true);
  });

  it('writes what has been written before', () => {
    const { spec, metadata } = generateWorkload(aRecipe({ services: 3, maxProcesses: 2 }), rows, builtInCatalogue);
    expect({ metadata, spec }).toMatchInlineSnapshot(`
      {
        "metadata": {
          "name": "made-up",
        },
        "spec": {
          "latency": {
            "percentile": 99,
          },
          "performance": [
            "table.csv",
          ],
          "pools": [
            {
              "gpu": "A100-80GB",
              "name": "a100",
            },
          ],
          "processes": {
            "max": 2,
          },
          "services": [
            {
              "latencyMs": 99.7,
              "model": "middle",
              "name": "s01",
              "rateRps": 58726.5,
            },
            {
              "latencyMs": 23.8,
              "model": "small",
              "name": "s02",
              "rateRps": 58522.4,
            },
            {
              "latencyMs": 4,
              "model": "small",
              "name": "s03",
              "rateRps": 40414.2,
            },
          ],
        },
      }
    `);
  });

  it('draws only models that the pool can run', () => {
    const pool = { name: 'a100', gpu: 'A100-80GB', profiles: ['1g.10gb'] };
    const { spec } = generateWorkload(aRecipe({ services: 40, pool }), rows, builtInCatalogue);
    expect(new Set(spec.services.map(({ model }) => model))).toEqual(new Set(['small', 'middle']));
  });

  it.each([
    { name: 'an unknown GPU model', parts: { pool: { name: 'p', gpu: 'X900' } }, code: 'UNKNOWN_GPU' },
    { name: 'a GPU model without rows', parts: { pool: { name: 'p', gpu: 'A30-24GB' } }, code: 'GPU_WITHOUT_ROWS' },
    { name: 'rows that need more memory than their profile has', parts: {}, memoryGiB: 200, code: 'NO_ROWS' },
  ])('refuses $name', ({ parts, memoryGiB, code }) => {
    const table = memoryGiB === undefined ? rows : rows.map((row) => ({ ...row, memoryGiB }));
    expect(() => generateWorkload(aRecipe(parts), table, builtInCatalogue)).toThrow(expect.objectContaining({ code }));
  });
});

describe('generateNight', () => {
  it('keeps the services and lowers their rates to about the factor', () => {
    fc.assert(
      fc.property(recipes, fc.double({ min: 0, max: 1, noNaN: true }), fc.integer(), (recipe, factor, seed) => {
        const day = generateWorkload(recipe, rows, builtInCatalogue);
        const night = generateNight(day, factor, seed);
        expect(night.metadata.name).toBe('made-up-night');
        night.spec.services.forEach(({ rateRps, ...service }, i) => {
          const { rateRps: dayRps = 0, ...rest } = day.spec.services[i] ?? {};
          expect(service).toEqual(rest);
          expect(rateRps).toBeLessThanOrEqual(dayRps);
          expect(rateRps).toBeGreaterThanOrEqual(0.1);
        });
        expect(generateNight(day, factor, seed)).toEqual(night);
      }),
      { seed: 6, numRuns: 40 },
    );
    const day = generateWorkload(aRecipe({ services: 30, targetGpus: 1000 }), rows, builtInCatalogue);
    const sum = (document: typeof day) => document.spec.services.reduce((total, { rateRps }) => total + rateRps, 0);
    expect(sum(generateNight(day, 0.3, 1)) / sum(day)).toBeCloseTo(0.3, 1);
  });
});
