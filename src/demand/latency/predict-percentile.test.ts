import { describe, expect, test } from 'vitest';
import { aRule } from '../demand.fixture.js';
import { meetsLimit, predictLatencyMs, predictPercentileMs } from './predict-percentile.js';

const half = Math.log(100) / 2;
const speed = { serviceMs: 40, processes: 4, capacityRps: 800 };
const demand = { load: 0.8, rateRps: 1000, serviceCapacityRps: 1600 };

describe('the predicted percentile', () => {
  test('is two batches and the backlog of the whole service in the safe form', () => {
    expect(predictPercentileMs(aRule(), speed, demand)).toBeCloseTo(80 + (half * 0.8 * 1000) / (0.2 * 1000), 9);
  });

  test('counts on staggered processes in the tight form', () => {
    expect(predictPercentileMs(aRule({ rule: 'tight' }), speed, demand)).toBeCloseTo(1.5 * 40 + (half * 0.64) / 0.2, 9);
  });

  test('grows with the square of the burstiness', () => {
    expect(predictPercentileMs(aRule({ burstiness: 3 }), speed, demand)).toBeCloseTo(80 + (9 * half * 0.8) / 0.2, 9);
  });

  test('takes the queue of the instance under random routing, with its share of the bursts', () => {
    const rule = aRule({ burstiness: 3, router: 'random' });
    expect(predictPercentileMs(rule, speed, demand)).toBeCloseTo(80 + (half * (1 + 8 * 0.5) * 0.8 * 1000) / (0.2 * 800), 9);
  });

  test('is that of M/D/p for a tiny service', () => {
    const tiny = { serviceMs: 300, singleMs: 300, processes: 1, capacityRps: 1 / 0.3 };
    expect(predictPercentileMs(aRule(), tiny, { load: 0.06, rateRps: 0.2, serviceCapacityRps: 1 / 0.3 })).toBeCloseTo(559.1, 1);
    const slower = { serviceMs: 500, singleMs: 500, processes: 1, capacityRps: 2 };
    expect(predictPercentileMs(aRule(), slower, { load: 0.05, rateRps: 0.1, serviceCapacityRps: 2 })).toBeCloseTo(912.4, 1);
  });

  test('leaves M/D/p out for bursty arrivals, without a batch of one, and above half load', () => {
    const tiny = { serviceMs: 300, singleMs: 300, processes: 1, capacityRps: 1 / 0.3 };
    const calm = { load: 0.06, rateRps: 0.2, serviceCapacityRps: 1 / 0.3 };
    const queueMs = 600 + (half * 0.06 * 1000) / (0.94 * 0.2);
    expect(predictPercentileMs(aRule(), { ...tiny, singleMs: undefined }, calm)).toBeCloseTo(queueMs, 6);
    expect(predictPercentileMs(aRule({ burstiness: 1.1 }), tiny, calm)).toBeGreaterThan(queueMs);
    const busy = { load: 0.51, rateRps: 1.7, serviceCapacityRps: 1 / 0.3 };
    expect(predictPercentileMs(aRule(), tiny, busy)).toBeCloseTo(600 + (half * 0.51 * 1000) / (0.49 * 1.7), 6);
  });

  test('has no bound at full load', () => {
    expect(predictPercentileMs(aRule(), speed, { ...demand, load: 1 })).toBe(Number.POSITIVE_INFINITY);
  });

  test('is informative under the factor rule, and missing where no queue is stable', () => {
    const factor = { kind: 'factor', factor: 0.45 } as const;
    expect(predictLatencyMs(factor, speed, demand)).toBe(predictPercentileMs(aRule(), speed, demand));
    expect(predictLatencyMs(factor, speed, { ...demand, load: 0.981 })).toBeNull();
  });

  test('is held against the limit ÷ 1.1', () => {
    expect(meetsLimit(100, 110)).toBe(true);
    expect(meetsLimit(100.001, 110)).toBe(false);
  });
});
