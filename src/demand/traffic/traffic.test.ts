import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countWindows, peakFactor, windowSeconds } from './count-windows.js';
import { describeTrace } from './describe-trace.js';
import type { Trace } from './trace.js';

const stamps = (...stampsS: readonly number[]): Trace => ({ kind: 'stamps', stampsS: Float64Array.from(stampsS) });
const counts = (stepS: number, ...of: readonly number[]): Trace => ({ kind: 'counts', stepS, counts: Float64Array.from(of) });

describe('countWindows', () => {
  it('counts from the whole second of the first request and drops the rest of a window', () => {
    expect([...countWindows(stamps(100.7, 101, 109.9, 110, 121, 125), 10)]).toEqual([3, 1]);
    expect([...countWindows(stamps(1), 10)]).toEqual([]);
  });

  it('joins whole steps, at least one', () => {
    expect([...countWindows(counts(10, 1, 2, 3, 4, 5), 20)]).toEqual([3, 7]);
    expect([...countWindows(counts(60, 1, 2), 10)]).toEqual([1, 2]);
    expect(windowSeconds(counts(60, 1), 10)).toBe(60);
    expect(windowSeconds(counts(10, 1), 34)).toBe(30);
  });
});

describe('peakFactor', () => {
  it('is the rate up to which so many requests fall', () => {
    expect(peakFactor(Float64Array.of(5, 1, 2, 2), 1)).toBe(2);
    expect(peakFactor(Float64Array.of(5, 1, 2, 2), 0.5)).toBe(0.8);
    expect(peakFactor(Float64Array.of(5, 1, 2, 2), 0.51)).toBe(2);
    expect(peakFactor(Float64Array.of(3, 3, 3), 0.2)).toBe(1);
  });

  it('rises with the quantile, from at most the mean to the peak', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 30 }), (of) => {
        fc.pre(of.some((count) => count > 0));
        const windows = Float64Array.from(of);
        const factors = [0.1, 0.5, 0.9, 0.99, 1].map((q) => peakFactor(windows, q));
        expect(factors).toEqual(factors.toSorted((a, b) => a - b));
        const mean = windows.reduce((sum, count) => sum + count, 0) / windows.length;
        expect(factors.at(-1)).toBeCloseTo(Math.max(...of) / mean, 9);
      }),
      { seed: 5, numRuns: 100 },
    );
  });
});

describe('describeTrace', () => {
  it('finds no scatter in a metronome', () => {
    const shape = describeTrace(stamps(...Array.from({ length: 1201 }, (_, i) => i / 10)));
    expect(shape).toMatchObject({
      requests: 1201,
      seconds: 120,
      windows: [{ windowS: 1, varianceToMean: 0, peakToMean: 1 }, { windowS: 10 }, { windowS: 60 }],
    });
    expect(shape.gapVariation).toBeCloseTo(0, 6);
    expect(shape.settings).toEqual({ windowS: 30, quantile: 0.99, burstiness: 1, factor: 1 });
  });

  it('tells moves of the rate from scatter between requests', () => {
    const quiet = Array.from({ length: 60 }, (_, i) => i);
    const busy = Array.from({ length: 600 }, (_, i) => 60 + i / 10);
    const shape = describeTrace(stamps(...quiet, ...busy, 120));
    expect(shape.gapVariation).toBeGreaterThan(1.3);
    expect(shape.localVariation).toBeLessThan(0.1);
    expect(shape.settings?.factor).toBeCloseTo(20 / 11, 2);
  });

  it('says of counts what can be said', () => {
    const shape = describeTrace(counts(60, 10, 30, 20));
    expect(shape).toEqual({
      requests: 60,
      seconds: 180,
      meanRps: 1 / 3,
      windows: [{ windowS: 60, varianceToMean: expect.closeTo(10 / 3), peakToMean: 1.5 }],
      settings: { windowS: 60, quantile: 0.99, burstiness: 1, factor: 1.5 },
    });
    expect(describeTrace(counts(1, 4)).settings).toBeUndefined();
  });
});
