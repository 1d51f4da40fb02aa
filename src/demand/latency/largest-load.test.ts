import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aRule } from '../demand.fixture.js';
import { createQueueLoadLimit, createSingleLoadLimit } from './largest-load.js';
import { mdcWaitPercentile } from './mdc-wait.js';
import { predictPercentileMs } from './predict-percentile.js';

const ruleParts = fc.record({
  percentile: fc.double({ min: 50, max: 99.9, noNaN: true }),
  burstiness: fc.double({ min: 0, max: 5, noNaN: true }),
  rule: fc.constantFrom('safe' as const, 'tight' as const),
  router: fc.constantFrom('round-robin' as const, 'random' as const),
});
const cases = fc.record({
  rule: ruleParts.map(aRule),
  batch: fc.integer({ min: 1, max: 128 }),
  processes: fc.integer({ min: 1, max: 5 }),
  capacityRps: fc.double({ min: 0.1, max: 1e5, noNaN: true }),
  rateRps: fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
  batchesAllowed: fc.double({ min: 1, max: 20, noNaN: true }),
});

describe('the largest load of the heavy-traffic form', () => {
  test('is k ÷ (1 + k) in the safe form and the root of the quadratic in the tight form', () => {
    const k = (2 * 0.02 * 500) / Math.log(100);
    expect(createQueueLoadLimit(aRule(), 500, 100)(40, 1, 300)).toBeCloseTo(k / (1 + k), 12);
    expect(createQueueLoadLimit(aRule({ rule: 'tight' }), 500, 100)(40, 1, 300)).toBeCloseTo((-k + Math.sqrt(k * k + 4 * k)) / 2, 12);
  });

  test('is the cap when nothing queues, and zero when two batches take too long', () => {
    expect(createQueueLoadLimit(aRule({ burstiness: 0 }), 500, 100)(40, 1, 300)).toBe(0.98);
    expect(createQueueLoadLimit(aRule(), 1e9, 100)(40, 1, 300)).toBe(0.98);
    expect(createQueueLoadLimit(aRule(), 500, 100)(50, 1, 300)).toBe(0);
  });

  test('is where the prediction meets the limit, and no larger load does', () => {
    fc.assert(
      fc.property(cases, ({ rule, batch, processes, capacityRps, rateRps, batchesAllowed }) => {
        const serviceMs = (1000 * batch * processes) / capacityRps;
        const limitMs = batchesAllowed * serviceMs;
        const load = createQueueLoadLimit(rule, rateRps, limitMs)(serviceMs, processes, capacityRps);
        // The least favourable share of the service, which the limit assumes.
        const serviceCapacityRps = rule.burstiness > 1 ? Math.max(capacityRps, rateRps) : Number.POSITIVE_INFINITY;
        const predict = (tried: number) =>
          predictPercentileMs(rule, { serviceMs, processes, capacityRps }, { load: tried, rateRps, serviceCapacityRps });
        if (load > 0) expect(predict(load)).toBeLessThanOrEqual(limitMs * (1 + 1e-9));
        if (load < 0.98 && load > 1e-9) expect(predict(load * (1 + 1e-6))).toBeGreaterThan(limitMs * (1 - 1e-12));
      }),
      { numRuns: 500, seed: 11 },
    );
  });

  test('rises with the limit and, for round-robin, with the rate', () => {
    fc.assert(
      fc.property(
        cases,
        fc.double({ min: 1, max: 3, noNaN: true }),
        ({ rule, batch, processes, capacityRps, rateRps, batchesAllowed }, more) => {
          const serviceMs = (1000 * batch * processes) / capacityRps;
          const loadAt = (rate: number, limitMs: number) => createQueueLoadLimit(rule, rate, limitMs)(serviceMs, processes, capacityRps);
          const limitMs = batchesAllowed * serviceMs;
          const load = loadAt(rateRps, limitMs);
          expect(loadAt(rateRps, more * limitMs)).toBeGreaterThanOrEqual(load);
          expect(loadAt(more * rateRps, limitMs)).toBeGreaterThanOrEqual(load);
        },
      ),
      { numRuns: 200, seed: 12 },
    );
  });
});

describe('the largest load of a tiny service', () => {
  test('is where the wait meets the limit, and half load at most', () => {
    const questions = fc.record({
      servers: fc.integer({ min: 1, max: 6 }),
      waits: fc.double({ min: 0, max: 6, noNaN: true }),
      percentile: fc.double({ min: 50, max: 99.9, noNaN: true }),
    });
    fc.assert(
      fc.property(questions, ({ servers, waits, percentile }) => {
        const load = createSingleLoadLimit(percentile)(servers, waits);
        expect(load).toBeGreaterThan(0);
        expect(load).toBeLessThanOrEqual(0.5);
        expect(mdcWaitPercentile(servers, load, percentile)).toBeLessThanOrEqual(waits + 1e-11);
        if (load < 0.499) expect(mdcWaitPercentile(servers, load * (1 + 1e-6), percentile)).toBeGreaterThan(waits);
      }),
      { numRuns: 60, seed: 13 },
    );
  });

  test('is none when one batch already takes too long', () => {
    expect(createSingleLoadLimit(99)(1, -0.01)).toBe(0);
  });

  test('answers again what it was asked before', () => {
    const limit = createSingleLoadLimit(99);
    expect(limit(2, 0.3)).toBe(limit(2, 0.3));
    expect(limit(2, 0.3)).toBe(createSingleLoadLimit(99)(2, 0.3));
  });
});
