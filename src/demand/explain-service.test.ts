import { describe, expect, test } from 'vitest';
import { aRow, aService, aWorkload } from './demand.fixture.js';
import { explainService } from './explain-service.js';

describe('the explanation of a service', () => {
  const rows = [
    aRow({ throughputRps: 100, memoryGiB: 4 }),
    aRow({ batch: 2, throughputRps: 120, memoryGiB: 4 }),
    aRow({ batch: 4, throughputRps: 70, memoryGiB: 4 }),
    aRow({ batch: 16, throughputRps: 150, memoryGiB: 4 }),
    aRow({ processes: 3, throughputRps: 140, memoryGiB: 4 }),
    aRow({ processes: 4, throughputRps: 150, memoryGiB: 4 }),
    aRow({ profile: '7g.80gb', throughputRps: 600, memoryGiB: 4 }),
  ];
  const verdicts = (parts: Parameters<typeof aService>[0]) =>
    explainService(aWorkload({ rows, maxProcesses: 3, services: [aService(parts)] }), 's').sizes.flatMap((size) =>
      size.rows.map(({ row, verdict }) => {
        const setting = `${size.profile} ${row.batch}x${row.processes}`;
        return verdict.kind === 'unusable'
          ? `${setting} ${verdict.rule}: ${verdict.reason}`
          : `${setting} ${verdict.kind} ${verdict.maxLoad.toFixed(3)}`;
      }),
    );

  test('gives every row its verdict with the numbers of the percentile rule', () => {
    expect(verdicts({ profiles: ['1g.10gb'], latencyMs: 120, maxBatch: 8 })).toMatchInlineSnapshot(`
      [
        "1g.10gb 1x1 usable 0.795",
        "1g.10gb 2x1 chosen 0.767",
        "1g.10gb 4x1 usable 0.714",
        "1g.10gb 16x1 batch: batch 16, at most 8 allowed",
        "1g.10gb 1x3 memory: needs 12 GiB, 1g.10gb has 9.5",
        "1g.10gb 1x4 processes: 4 processes, at most 3 allowed",
        "7g.80gb 1x1 profile: 7g.80gb is not among the service's profiles (1g.10gb)",
      ]
    `);
  });

  test('gives the numbers of the factor rule', () => {
    expect(verdicts({ latency: { kind: 'factor', factor: 0.45 }, latencyMs: 40 })).toMatchInlineSnapshot(`
      [
        "1g.10gb 1x1 usable 1.000",
        "1g.10gb 2x1 chosen 1.000",
        "1g.10gb 4x1 latency: latency 57.14 ms is not below 18 ms (0.45 × 40 ms)",
        "1g.10gb 16x1 latency: latency 106.7 ms is not below 18 ms (0.45 × 40 ms)",
        "1g.10gb 1x3 memory: needs 12 GiB, 1g.10gb has 9.5",
        "1g.10gb 1x4 processes: 4 processes, at most 3 allowed",
        "7g.80gb 1x1 chosen 1.000",
      ]
    `);
  });

  test('refuses a name that is not in the workload', () => {
    expect(() => explainService(aWorkload(), 'S')).toThrowError(expect.objectContaining({ code: 'UNKNOWN_SERVICE' }));
  });
});
