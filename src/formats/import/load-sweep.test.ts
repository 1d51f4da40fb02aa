import fc from 'fast-check';
import { expect, test } from 'vitest';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import type { LoadPoint } from './load-point.js';
import { createLoadSweep } from './load-sweep.js';
import type { Setting } from './resolve-setting.js';

const gpu = builtInCatalogue.models[0] as Setting['gpu'];
const setting: Setting = { model: 'm', gpu, profile: gpu.full, batch: 1, processes: 1 };

const points = fc.array(
  fc.record({
    kind: fc.constantFrom('concurrency', 'request rate'),
    value: fc.constantFrom(1, 2, 3, Number.NaN),
    throughputRps: fc.integer({ min: 0, max: 3 }),
    latencyMs: fc.constantFrom(1, 2, Number.NaN),
  }),
  { minLength: 1, maxLength: 12 },
);

test('a sweep keeps the fastest point that ran and finds every contradiction, as a naive one does', () => {
  fc.assert(
    fc.property(points, (raw) => {
      const entries = raw.map((point, index) => ({ ...point, line: index + 1 }));
      const sweep = createLoadSweep(setting, {} as LoadPoint);
      for (const { kind, value, throughputRps, latencyMs, line } of entries) {
        const latency = { kind: 'not-finite' } as const;
        sweep.add({ file: 'f', line, stated: {}, load: { kind, value }, throughputRps, latency, remarks: [] }, latencyMs);
      }
      const { best, contradictions } = sweep.finish(99);

      const usable = entries.filter((point) => point.throughputRps > 0 && !Number.isNaN(point.latencyMs));
      const wanted = usable.toSorted((a, b) => b.throughputRps - a.throughputRps || a.latencyMs - b.latencyMs || a.line - b.line)[0];
      expect(best?.point.line).toBe(wanted?.line);

      const found = entries.flatMap((point) => {
        const earlier = entries.find((other) => other.kind === point.kind && Object.is(other.value, point.value)) as typeof point;
        const agrees = earlier.throughputRps === point.throughputRps && Object.is(earlier.latencyMs, point.latencyMs);
        return agrees ? [] : [`${earlier.line}-${point.line}`];
      });
      expect(contradictions.map(({ earlier, point }) => `${earlier.line}-${point.line}`)).toEqual(found);
    }),
    { seed: 7, numRuns: 300 },
  );
});
