import { describe, expect, it } from 'vitest';
import { SegmentEstimates, segmentCount } from './estimate-segments.js';
import { LatencyHistogram } from './latency-histogram.js';
import { mmcResponse } from './queue-theory.fixture.js';
import { ServiceClock } from './service-clock.js';
import { aKind, aSimulatedService } from './simulate.fixture.js';

function segmentsOf(seed: number) {
  const kind = aKind({ maxBatch: 1, perBatchMs: 1, perRequestMs: 0 });
  const service = aSimulatedService({ rateRps: 0.5 * kind.capacityRps, kinds: [kind], limitMs: 5 });
  const clock = new ServiceClock(service, { delayMs: 0, batchVariation: 1 }, seed);
  clock.advanceBy(1000);
  return Array.from({ length: segmentCount }, () => clock.advanceBy(1000).counts);
}

describe('SegmentEstimates', () => {
  it('has the truth within its interval about 95 times in a hundred', () => {
    const { mean } = mmcResponse(1, 0.5);
    const covered = Array.from({ length: 100 }, (_, seed) => new SegmentEstimates(segmentsOf(seed)).meanMs()).filter(
      ({ value, halfWidth }) => Math.abs(value - mean) <= halfWidth,
    ).length;
    expect(covered).toBeGreaterThanOrEqual(88);
    expect(covered).toBeLessThanOrEqual(100);
  });

  it('calls a share clearly different only when it is', () => {
    const estimates = new SegmentEstimates(segmentsOf(1));
    const { value, halfWidth } = estimates.within();
    expect(estimates.isClearlyNot(value)).toBe(false);
    expect(estimates.isClearlyNot(value + halfWidth)).toBe(false);
    expect(estimates.isClearlyNot(value - 3 * halfWidth)).toBe(true);
  });

  it('gives no interval for a single segment', () => {
    const histogram = new LatencyHistogram(5);
    histogram.recordBatch(3, Float64Array.of(0), 0, 1, 0);
    expect(new SegmentEstimates([histogram.take()]).meanMs()).toEqual({ value: 3, halfWidth: Number.NaN });
  });
});
