import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPointFinder } from '../demand/operating-points.js';
import type { LatencyRule } from '../demand/workload.js';
import { createBestThroughput } from './best-throughput.js';
import { indexRows } from './row-index.js';
import { aPool, aService, aWorkload } from './workload.fixture.js';

const rule: fc.Arbitrary<LatencyRule> = fc.oneof(
  fc.record({
    kind: fc.constant('percentile' as const),
    percentile: fc.constantFrom(90, 99, 99.9),
    burstiness: fc.constantFrom(0, 0.5, 1, 2, 4),
    router: fc.constantFrom('round-robin' as const, 'random' as const),
    rule: fc.constantFrom('safe' as const, 'tight' as const),
  }),
  fc.record({ kind: fc.constant('factor' as const), factor: fc.constantFrom(0.3, 0.45, 1) }),
);

describe('the best throughput', () => {
  it('found by bisection on the forward formula is the one that its inverse gives', () => {
    const service = fc.record({
      rateRps: fc.constantFrom(1e-9, 0.02, 0.5, 7, 300, 20_000, 1e9),
      latencyMs: fc.integer({ min: 5, max: 900 }),
      maxUtilization: fc.constantFrom(1, 0.6, 0.02),
      maxBatch: fc.constantFrom(1, 4, Number.POSITIVE_INFINITY),
      latency: rule,
    });
    fc.assert(
      fc.property(service, fc.integer({ min: 1, max: 3 }), (changes, maxProcesses) => {
        const workload = { ...aWorkload([aService(changes)], [aPool()]), maxProcesses };
        const [asked] = workload.services;
        if (asked === undefined) throw new Error('no service');
        const expected = createPointFinder(workload)
          .pointsOf(asked, asked.rateRps)
          .map((point) => point?.plannedRps ?? 0);
        const [best] = createBestThroughput(workload, indexRows(workload.rows))(asked, asked.rateRps);
        for (const [index, rps] of (best ?? []).entries()) {
          expect(rps).toBeGreaterThanOrEqual((expected[index] ?? 0) * (1 - 1e-12));
          expect(rps).toBeLessThanOrEqual((expected[index] ?? 0) * (1 + 1e-8));
        }
      }),
      { seed: 31, numRuns: 300 },
    );
  });

  it('is 0 on profiles that the service may not use and where the processes need more memory than there is', () => {
    const workload = aWorkload([aService({ profiles: ['2g', '7g'] })]);
    const heavy = { ...workload, rows: workload.rows.map((row) => ({ ...row, memoryGiB: 21 })) };
    const best = createBestThroughput(heavy, indexRows(heavy.rows))(aService({ profiles: ['2g', '7g'] }), 100);
    expect(best.map((pool) => pool.map((rps) => rps > 0))).toEqual([[false, false, false, false, true]]);
  });
});
