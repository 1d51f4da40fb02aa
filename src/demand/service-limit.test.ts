import { describe, expect, test } from 'vitest';
import { aRow, aService, aWorkload } from './demand.fixture.js';
import { createPointFinder } from './operating-points.js';
import { findServiceLimit } from './service-limit.js';
import type { Service, Workload } from './workload.js';

const factorRule = { kind: 'factor', factor: 0.5 } as const;

function limitOf(parts: Partial<Workload>, serviceParts: Partial<Service>, counts: readonly number[] = [2, 0]) {
  const workload = aWorkload(parts);
  const service = aService({ latency: factorRule, ...serviceParts });
  return findServiceLimit(workload, createPointFinder(workload), service, service.rateRps, counts);
}

const slow = aRow({ throughputRps: 100, latencyMs: 10 });

describe('what limits a service', () => {
  test('is nothing when its slices give what they can', () => {
    expect(limitOf({ rows: [slow] }, {})).toBe('none');
    expect(limitOf({ rows: [slow] }, { latencyMs: 1e9, rateRps: 1e9, latency: { ...aService().latency } })).toBe('none');
  });

  test('is nothing when the service has no instance', () => {
    expect(limitOf({ rows: [slow] }, { maxUtilization: 0.5 }, [0, 0])).toBe('none');
  });

  test('is the one rule that keeps a faster row away', () => {
    const with_ = (row: Parameters<typeof aRow>[0]) => ({ rows: [slow, aRow({ throughputRps: 300, latencyMs: 10, ...row })] });
    expect(limitOf(with_({ batch: 2, latencyMs: 50 }), {})).toBe('latency');
    expect(limitOf(with_({ batch: 2, memoryGiB: 60 }), {})).toBe('memory');
    expect(limitOf({ ...with_({ processes: 3 }), maxProcesses: 2 }, {})).toBe('processes');
    expect(limitOf(with_({ batch: 8 }), { maxBatch: 4 })).toBe('batch');
    expect(limitOf({ rows: [slow] }, { maxUtilization: 0.7 })).toBe('utilization');
  });

  test('is the load that the latency rule leaves', () => {
    expect(limitOf({ rows: [slow] }, { latency: aService().latency })).toBe('latency');
  });

  test('is the list of profiles when another profile gives more for its share of a GPU', () => {
    const rows = [slow, aRow({ profile: '7g.80gb', throughputRps: 1000, latencyMs: 10 })];
    expect(limitOf({ rows }, { profiles: ['1g.10gb'] })).toBe('profile');
    const poor = [slow, aRow({ profile: '7g.80gb', throughputRps: 600, latencyMs: 10 })];
    expect(limitOf({ rows: poor }, { profiles: ['1g.10gb'] })).toBe('none');
  });

  test('is the rule with the largest gain when several hold it back', () => {
    const rows = [slow, aRow({ batch: 2, throughputRps: 130, latencyMs: 60 }), aRow({ batch: 8, throughputRps: 200, latencyMs: 20 })];
    expect(limitOf({ rows }, { maxBatch: 4 })).toBe('batch');
  });
});
