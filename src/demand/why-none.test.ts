import { describe, expect, test } from 'vitest';
import { aPool, aRow, aRule, aService, aWorkload } from './demand.fixture.js';
import { createPointFinder } from './operating-points.js';
import { whyNone } from './why-none.js';
import type { Service, Workload } from './workload.js';

function reasonFor(parts: Partial<Workload>, serviceParts: Partial<Service>) {
  const workload = aWorkload(parts);
  const service = aService(serviceParts);
  return whyNone(workload, createPointFinder(workload), service, service.rateRps);
}

describe('why a service cannot run', () => {
  test('is not asked of one that can', () => {
    expect(reasonFor({}, {})).toBeUndefined();
  });

  test('names the latency of the best row and what the limit allows', () => {
    const rows = [aRow({ batch: 4, throughputRps: 150 }), aRow({ batch: 2, throughputRps: 120 })];
    expect(reasonFor({ rows }, { latencyMs: 30 })).toMatchInlineSnapshot(`
      {
        "available": 30,
        "code": "SERVICE_CANNOT_RUN",
        "hint": "Raise latencyMs to 36.67 or more.",
        "message": "service s cannot run: its fastest row (batch 2, 1 process on 1g.10gb of pool a100) answers in 33.33 ms at best, and 30 ms ÷ 1.1 allows 27.27 ms",
        "needed": 36.67,
        "service": "s",
      }
    `);
    expect(reasonFor({ rows }, { latencyMs: 30, latency: { kind: 'factor', factor: 0.45 } })).toMatchInlineSnapshot(`
      {
        "available": 30,
        "code": "SERVICE_CANNOT_RUN",
        "hint": "Raise latencyMs to 37.04 or more.",
        "message": "service s cannot run: its fastest row (batch 2, 1 process on 1g.10gb of pool a100) has latency 16.67 ms, and 0.45 × 30 ms allows less than 13.5 ms",
        "needed": 37.04,
        "service": "s",
      }
    `);
  });

  test('knows that one batch of one must fit', () => {
    expect(reasonFor({}, { latencyMs: 10.9 })).toMatchInlineSnapshot(`
      {
        "available": 10.9,
        "code": "SERVICE_CANNOT_RUN",
        "hint": "Raise latencyMs to 11.01 or more.",
        "message": "service s cannot run: its fastest row (batch 1, 1 process on 1g.10gb of pool a100) answers in 10 ms at best, and 10.9 ms ÷ 1.1 allows 9.909 ms",
        "needed": 11.01,
        "service": "s",
      }
    `);
  });

  test('names memory, processes, batch and profiles', () => {
    expect(reasonFor({ rows: [aRow({ memoryGiB: 24 })], pools: [aPool({}, ['1g.10gb'])] }, {})).toMatchInlineSnapshot(`
      {
        "available": 9.5,
        "code": "SERVICE_CANNOT_RUN",
        "hint": "Offer a slice with 24 GiB or more.",
        "message": "service s cannot run: its row that fits best (batch 1, 1 process) needs 24 GiB, and 1g.10gb of pool a100 has 9.5 GiB",
        "needed": 24,
        "service": "s",
      }
    `);
    expect(reasonFor({ rows: [aRow({ processes: 2 })], maxProcesses: 1 }, {})).toMatchInlineSnapshot(`
      {
        "available": 1,
        "code": "SERVICE_CANNOT_RUN",
        "hint": "Set processes.max to 2 or more.",
        "message": "service s cannot run: its rows that would do need 2 processes, and at most 1 may share an instance",
        "needed": 2,
        "service": "s",
      }
    `);
    expect(reasonFor({ rows: [aRow({ batch: 2 })] }, { maxBatch: 1 })).toMatchInlineSnapshot(`
      {
        "available": 1,
        "code": "SERVICE_CANNOT_RUN",
        "hint": "Set maxBatch to 2 or more.",
        "message": "service s cannot run: its rows that would do have batch 2 at least, and maxBatch is 1",
        "needed": 2,
        "service": "s",
      }
    `);
    expect(reasonFor({}, { profiles: ['7g.80gb'] })).toMatchInlineSnapshot(`
      {
        "code": "SERVICE_CANNOT_RUN",
        "hint": "Allow the profile 1g.10gb.",
        "message": "service s cannot run: no row does on the profiles it may use (7g.80gb)",
        "service": "s",
      }
    `);
  });

  test('offers every single change that would help', () => {
    const rows = [aRow({ throughputRps: 50 }), aRow({ profile: '7g.80gb', throughputRps: 400 })];
    expect(reasonFor({ rows }, { latencyMs: 15, profiles: ['1g.10gb'] })?.hint).toMatchInlineSnapshot(
      `"Raise latencyMs to 22.01 or more, or allow the profile 7g.80gb."`,
    );
  });

  test('counts the rows when several rules are in the way at once', () => {
    const rows = [aRow({ batch: 2, throughputRps: 10, processes: 4 }), aRow({ processes: 3, throughputRps: 10 })];
    expect(reasonFor({ rows, maxProcesses: 2 }, { latencyMs: 20 })).toMatchInlineSnapshot(`
      {
        "code": "SERVICE_CANNOT_RUN",
        "hint": "Run with --explain for every row and its reason.",
        "message": "service s cannot run: every row is ruled out (2 rows by processes), and no single change is enough",
        "service": "s",
      }
    `);
    expect(reasonFor({}, { model: 'other' })).toMatchInlineSnapshot(`
      {
        "code": "SERVICE_CANNOT_RUN",
        "hint": "Offer such a slice, or measure the model on these.",
        "message": "service s cannot run: no pool offers a slice on which other was measured",
        "service": "s",
      }
    `);
  });

  test('says a limit that really is enough', () => {
    const rows = [aRow({ batch: 3, processes: 2, throughputRps: 61 })];
    for (const latency of [aRule(), aRule({ rule: 'tight' }), aRule({ burstiness: 2 }), { kind: 'factor', factor: 0.31 } as const]) {
      const reason = reasonFor({ rows }, { latencyMs: 1, latency });
      expect(reasonFor({ rows }, { latencyMs: reason?.needed ?? 0, latency })).toBeUndefined();
      expect(reasonFor({ rows }, { latencyMs: (reason?.needed ?? 0) * 0.999, latency })).toBeDefined();
    }
  });
});
