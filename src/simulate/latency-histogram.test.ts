import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LatencyHistogram, mergeCounts, quantileOf } from './latency-histogram.js';

const latencies = fc.array(fc.double({ min: 0.01, max: 1e5, noNaN: true }), { minLength: 1, maxLength: 200 });

function collect(values: readonly number[], limitMs = 100) {
  const histogram = new LatencyHistogram(limitMs);
  for (const value of values) histogram.recordBatch(value, Float64Array.of(0), 0, 1, 0);
  return histogram.take();
}

describe('LatencyHistogram', () => {
  it('knows quantiles to within a bin', () => {
    fc.assert(
      fc.property(latencies, fc.double({ min: 0.01, max: 0.999, noNaN: true }), (values, q) => {
        const exact = values.toSorted((a, b) => a - b)[Math.ceil(q * values.length) - 1] as number;
        const found = quantileOf(collect(values), q);
        expect(found / exact).toBeGreaterThan(1 / 1.0079);
        expect(found / exact).toBeLessThan(1.0079);
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it('counts parts as it counts the whole', () => {
    fc.assert(
      fc.property(latencies, latencies, (a, b) => {
        const merged = mergeCounts([collect(a), collect(b)]);
        const whole = collect([...a, ...b]);
        expect({ ...merged, sumMs: 0 }).toEqual({ ...whole, sumMs: 0 });
        expect(merged.sumMs).toBeCloseTo(whole.sumMs, 4);
      }),
      { seed: 2, numRuns: 30 },
    );
  });

  it('counts those within the limit, the limit included, and the longest exactly', () => {
    const { within, count, maxMs } = collect([99, 100, 100.5, 7]);
    expect({ within, count, maxMs }).toEqual({ within: 3, count: 4, maxMs: 100.5 });
  });

  it('starts anew after each take', () => {
    const histogram = new LatencyHistogram(1);
    histogram.recordBatch(5, Float64Array.of(0), 0, 1, 0);
    histogram.take();
    expect(histogram.take()).toMatchObject({ count: 0, sumMs: 0, maxMs: 0 });
    expect(quantileOf(histogram.take(), 0.5)).toBeNaN();
  });
});
