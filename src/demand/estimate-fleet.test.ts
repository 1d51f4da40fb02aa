import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aRow, aService, aWorkload } from './demand.fixture.js';
import { createFleetEstimate } from './estimate-fleet.js';
import { createPointFinder } from './operating-points.js';

/** A slice of a seventh gives 100 requests per second, the whole GPU 560. */
function anEstimate(services: number) {
  const workload = aWorkload({
    services: Array.from({ length: services }, (_, i) => aService({ name: `s${i}`, latency: { kind: 'factor', factor: 1 } })),
    rows: [aRow({ throughputRps: 100 }), aRow({ profile: '7g.80gb', throughputRps: 560 })],
  });
  return createFleetEstimate(workload, createPointFinder(workload));
}

describe('createFleetEstimate', () => {
  it('counts whole instances of the cheapest size', () => {
    expect(anEstimate(1).gpus([100])).toBeCloseTo(1 / 7);
    expect(anEstimate(1).gpus([101])).toBeCloseTo(2 / 7);
    expect(anEstimate(2).gpus([1, 560])).toBeCloseTo(1 / 7 + 6 / 7);
  });

  it('tells what a whole GPU gives at best', () => {
    expect(anEstimate(1).rpsPerGpu(aService({ latency: { kind: 'factor', factor: 1 } }))).toBeCloseTo(700);
  });

  it('scales rates to the target from below, within one step of one service', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 1, max: 1000, noNaN: true }), { minLength: 1, maxLength: 8 }), (rates) => {
        const estimate = anEstimate(rates.length);
        const target = rates.length + 3;
        const gpus = estimate.gpus(rates.map((rate) => rate * estimate.scaleTo(rates, target)));
        expect(gpus).toBeLessThanOrEqual(target + 1e-9);
        expect(gpus).toBeGreaterThanOrEqual(target - rates.length / 7 - 1e-6);
      }),
      { seed: 9, numRuns: 100 },
    );
  });

  it('falls short of a target that is less than a slice a service, rather than scaling to nothing', () => {
    const rates = [70, 70, 70, 70];
    const scale = anEstimate(4).scaleTo(rates, 0.1);
    expect(scale).toBeGreaterThan(0);
    expect((scale * 280) / 700).toBeCloseTo(0.1 / 8, 3);
  });
});
