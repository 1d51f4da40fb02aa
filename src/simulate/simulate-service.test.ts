import { describe, expect, it } from 'vitest';
import { bulkMeanResponse, mdcResponse, mmcResponse } from './queue-theory.fixture.js';
import type { MeasuredOutcome } from './service-outcome.js';
import { aKind, aSimulatedService, plainBatching } from './simulate.fixture.js';
import { leastRequests, type RunLength, simulateService } from './simulate-service.js';
import type { SimulatedService } from './simulated-service.js';

function simulate(service: SimulatedService, length: RunLength, batchVariation = 0, seed = 1) {
  return simulateService({ service, batching: { delayMs: 0, batchVariation }, length, seed });
}

function measure(service: SimulatedService, requests: number, batchVariation = 0, seed = 1): MeasuredOutcome {
  const outcome = simulate(service, { kind: 'requests', requests }, batchVariation, seed);
  if (outcome.kind !== 'measured') throw new Error('overloaded');
  return outcome;
}

describe('simulateService against closed forms', () => {
  const cases = [
    { name: 'M/M/1', servers: 1, variation: 1, theory: mmcResponse },
    { name: 'M/M/4', servers: 4, variation: 1, theory: mmcResponse },
    { name: 'M/D/1', servers: 1, variation: 0, theory: mdcResponse },
    { name: 'M/D/3', servers: 3, variation: 0, theory: mdcResponse },
  ];
  it.each(cases.flatMap((one) => [0.5, 0.8].map((load) => ({ ...one, load }))))(
    '$name at load $load',
    ({ servers, variation, theory, load }) => {
      const kind = aKind({ processes: servers, maxBatch: 1, perBatchMs: 1, perRequestMs: 0 });
      const service = aSimulatedService({ rateRps: load * kind.capacityRps, kinds: [kind] });
      const { meanMs, p99Ms, busy } = measure(service, 500_000, variation);
      const { mean, p99 } = theory(servers, load);
      expect(Math.abs(meanMs.value / mean - 1)).toBeLessThan(0.02);
      expect(Math.abs(p99Ms.value / p99 - 1)).toBeLessThan(0.04);
      expect(busy).toBeCloseTo(load, 1.7);
    },
  );

  it.each([2, 8])('a server that takes what is there, at most %d', (maxBatch) => {
    const kind = aKind({ maxBatch });
    const rateRps = 0.8 * kind.capacityRps;
    const { meanMs } = measure(aSimulatedService({ rateRps, kinds: [kind] }), 500_000);
    expect(Math.abs(meanMs.value / bulkMeanResponse(maxBatch, 8, 2, rateRps / 1000) - 1)).toBeLessThan(0.01);
  });
});

describe('simulateService', () => {
  const kind = aKind({ count: 3, processes: 2 });
  const at = (load: number, parts: Partial<SimulatedService> = {}) =>
    aSimulatedService({ rateRps: load * 3 * kind.capacityRps, kinds: [kind], ...parts });

  it('gives equal outcomes for equal seeds, and others for others', () => {
    const run = (seed: number) => simulate(at(0.8, { router: 'two-choices' }), { kind: 'requests', requests: 20_000 }, 0.2, seed);
    expect(run(4)).toEqual(run(4));
    expect(run(4)).not.toEqual(run(5));
  });

  it('takes randomness from the name, so that services do not disturb each other', () => {
    const run = (name: string) => measure(at(0.8, { name }), 5_000);
    expect(run('a').meanMs.value).not.toBe(run('b').meanMs.value);
  });

  it('refuses loads that cannot settle, and services without instances', () => {
    const length = { kind: 'precise', precision: 0.05, stretch: 1 } as const;
    expect(simulate(at(0.996), length)).toMatchObject({ kind: 'overloaded', verdict: 'misses', requests: 0 });
    expect(simulate(at(1.5), length).kind).toBe('overloaded');
    expect(simulate(at(0.5, { kinds: [] }), length)).toMatchObject({ kind: 'overloaded', load: Number.POSITIVE_INFINITY });
  });

  it('calls a run that is too short to tell unsettled', () => {
    expect(measure(at(0.5), 2_000).verdict).toBe('unsettled');
    expect(measure(at(0.9, { arrivals: { kind: 'renewal', burstiness: 4 } }), 200_000).verdict).toBe('unsettled');
  });

  it('wants longer runs for rarer percentiles, burstier arrivals and fuller queues', () => {
    expect(leastRequests(99, 1, 0.5)).toBe(20_000);
    expect(leastRequests(99.9, 1, 0.5)).toBeGreaterThan(199_000);
    expect(leastRequests(99, 4, 0.9)).toBeGreaterThan(leastRequests(99, 2, 0.9));
    expect(leastRequests(99, 4, 0.95)).toBeGreaterThan(leastRequests(99, 4, 0.9));
  });

  it('tells met limits from missed ones, and ends early when that is clear', () => {
    const decided = { kind: 'decided', precision: 0.001, stretch: 1 } as const;
    expect(simulate(at(0.8, { limitMs: 200 }), decided)).toMatchObject({ verdict: 'meets', requests: 110_000 });
    expect(simulate(at(0.8, { limitMs: 25 }), decided)).toMatchObject({ verdict: 'misses', requests: 110_000 });
  });

  it('knows the percentile as well as it was asked to', () => {
    const outcome = simulate(at(0.85, { arrivals: { kind: 'renewal', burstiness: 2 } }), { kind: 'precise', precision: 0.04, stretch: 1 });
    if (outcome.kind !== 'measured') throw new Error('overloaded');
    expect(outcome.percentileMs.halfWidth / outcome.percentileMs.value).toBeLessThanOrEqual(0.04);
    expect(outcome.percentileMs).toEqual(outcome.p99Ms);
  });

  it('plays a trace in whole passes, without a warm-up', () => {
    const arrivals = { kind: 'rates', stepS: 1, rates: Float64Array.of(0.5, 1.5), burstiness: 0 } as const;
    const outcome = simulate(at(0.5, { arrivals, rateRps: 1000 }), { kind: 'decided', precision: 0.05, stretch: 1 });
    expect(outcome).toMatchObject({ verdict: 'meets' });
    expect(Math.abs(outcome.requests - 2000 * Math.round(outcome.requests / 2000))).toBeLessThanOrEqual(1);
    const gaps = { kind: 'gaps', gaps: Float64Array.of(0.5, 1.5) } as const;
    expect(simulate(at(0.5, { arrivals: gaps }), { kind: 'duration', seconds: 10 })).toMatchObject({ verdict: 'meets' });
  });

  it('never does worse with more capacity, beyond noise, under the same arrivals', () => {
    for (const burstiness of [1, 3]) {
      const within = [1, 2, 3, 4].map((extra) => {
        const kinds = [aKind({ count: 2 + extra, processes: 2 })];
        return measure(at(0.9, { kinds, limitMs: 30, arrivals: { kind: 'renewal', burstiness } }), 60_000).within.value;
      });
      for (const [i, share] of within.entries()) if (i > 0) expect(share).toBeGreaterThan((within[i - 1] as number) - 0.002);
    }
  });

  it('waits for fuller batches when told to', () => {
    const run = (delayMs: number) =>
      simulateService({
        service: at(0.3),
        batching: { ...plainBatching, delayMs },
        length: { kind: 'requests', requests: 30_000 },
        seed: 1,
      });
    const [none, some] = [run(0), run(20)] as MeasuredOutcome[];
    expect((some as MeasuredOutcome).meanBatch).toBeGreaterThan((none as MeasuredOutcome).meanBatch);
    expect((some as MeasuredOutcome).busy).toBeLessThan((none as MeasuredOutcome).busy);
  });
});
