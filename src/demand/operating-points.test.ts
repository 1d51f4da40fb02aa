import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aGpu } from '../gpu/gpu.fixture.js';
import { aPool, aRow, aRule, aService, aWorkload } from './demand.fixture.js';
import { meetsLimit, predictPercentileMs } from './latency/predict-percentile.js';
import { listSizes } from './list-sizes.js';
import type { OperatingPoint } from './operating-point.js';
import { createPointFinder } from './operating-points.js';
import { predictInstances, speedOf } from './predict-instances.js';
import type { PerformanceRow, Service, Workload } from './workload.js';

const factorRule = { kind: 'factor', factor: 0.5 } as const;

function pointsOf(workload: Workload, parts: Partial<Service> = {}): (OperatingPoint | undefined)[] {
  const service = aService(parts);
  return createPointFinder(workload).pointsOf(service, service.rateRps);
}

describe('operating points', () => {
  test('come pool by pool, profile by profile', () => {
    const pools = [aPool(), aPool({ name: 'a30', gpu: aGpu('A30-24GB') }, ['1g.6gb'])];
    expect(listSizes({ pools })).toEqual([
      { pool: 0, profile: 0 },
      { pool: 0, profile: 1 },
      { pool: 1, profile: 0 },
    ]);
    const rows = [aRow(), aRow({ gpu: 'A30-24GB', profile: '1g.6gb', throughputRps: 50 })];
    expect(pointsOf(aWorkload({ pools, rows })).map((point) => point?.row)).toEqual([rows[0], undefined, rows[1]]);
  });

  test('of tiny services need one instance where the heavy-traffic form would buy more', () => {
    const rows = [aRow({ throughputRps: 1 / 0.3 })];
    const [point] = pointsOf(aWorkload({ rows }), { rateRps: 0.2, latencyMs: 1000 });
    expect(point?.plannedRps).toBeGreaterThan(0.2);
    const [slower] = pointsOf(aWorkload({ rows: [aRow({ throughputRps: 2 })] }), { rateRps: 0.1, latencyMs: 2000 });
    expect(slower?.plannedRps).toBeGreaterThan(0.1);
  });

  test('go to lower latency, then fewer processes, then the smaller batch when throughput is equal', () => {
    const equal = [
      aRow({ batch: 4, processes: 2, latencyMs: 20 }),
      aRow({ batch: 8, processes: 1, latencyMs: 20 }),
      aRow({ batch: 2, processes: 1, latencyMs: 20 }),
      aRow({ batch: 1, processes: 1, latencyMs: 30 }),
    ];
    expect(pointsOf(aWorkload({ rows: equal }), { latency: factorRule })[0]?.row).toBe(equal[2]);
  });

  test('of a tiny service are the batch of one, whose time the closed form is about', () => {
    const rows = [aRow({ batch: 8, throughputRps: 400 }), aRow({ batch: 1, throughputRps: 300 }), aRow({ batch: 2, throughputRps: 350 })];
    expect(pointsOf(aWorkload({ rows }), { rateRps: 0.01, latencyMs: 40 })[0]?.row).toBe(rows[1]);
  });

  test('take the latency column as written under the factor rule, strictly below the limit', () => {
    const rows = [aRow({ throughputRps: 200, latencyMs: 50 }), aRow({ batch: 2, throughputRps: 100, latencyMs: 49.9 })];
    expect(pointsOf(aWorkload({ rows }), { latency: factorRule })[0]).toMatchObject({ row: rows[1], maxLoad: 1, plannedRps: 100 });
  });

  test('keep to processes, batch, profiles, memory and utilization', () => {
    const rows = [
      aRow({ processes: 4, throughputRps: 500, latencyMs: 1 }),
      aRow({ processes: 2, throughputRps: 400, latencyMs: 1, memoryGiB: 6 }),
      aRow({ batch: 16, throughputRps: 300, latencyMs: 1 }),
      aRow({ throughputRps: 200, latencyMs: 1 }),
      aRow({ profile: '7g.80gb', throughputRps: 900, latencyMs: 1 }),
    ];
    const limits = { latency: factorRule, maxBatch: 8, maxUtilization: 0.5, profiles: ['1g.10gb'] };
    const [small, whole] = pointsOf(aWorkload({ rows, maxProcesses: 2 }), limits);
    expect(small).toMatchObject({ row: rows[3], maxLoad: 0.5, plannedRps: 100 });
    expect(whole).toBeUndefined();
  });

  test('exist for rate 0 and for a model without rows there are none', () => {
    expect(pointsOf(aWorkload(), { rateRps: 0 })[0]).toBeDefined();
    expect(pointsOf(aWorkload(), { model: 'other' })).toEqual([undefined, undefined]);
  });

  test('are those of a search over all rows that only evaluates the prediction', () => {
    fc.assert(
      fc.property(workloads, ({ rows, service }) => {
        const [point] = pointsOf(aWorkload({ rows, maxProcesses: 3 }), service);
        const best = Math.max(0, ...rows.map((row) => searchPlannedRps(rows, row, aService(service))));
        expect(point?.plannedRps ?? 0).toBeGreaterThanOrEqual(best * (1 - 1e-7));
        expect(point?.plannedRps ?? 0).toBeLessThanOrEqual(best * (1 + 1e-7));
      }),
      { numRuns: 60, seed: 21 },
    );
  });

  test('let every instance of a served service meet its limit', () => {
    fc.assert(
      fc.property(workloads, fc.integer({ min: 1, max: 3 }), ({ rows, service: parts }, kinds) => {
        const service = aService(parts);
        const whole = rows.map((row) => ({
          ...row,
          profile: '7g.80gb',
          throughputRps: row.throughputRps * 5,
          latencyMs: row.latencyMs / 5,
        }));
        const points = pointsOf(aWorkload({ rows: [...rows, ...whole], maxProcesses: 3 }), parts).filter((point) => point !== undefined);
        const used = points.slice(0, kinds);
        const planned = used.reduce((sum, point) => sum + point.plannedRps, 0);
        if (planned === 0) return;
        const copies = Math.ceil(service.rateRps / planned);
        if (copies > 500) return;
        const instances = Array.from({ length: copies }, () => used).flat();
        const forecasts = predictInstances(service, service.rateRps, instances);
        expect(forecasts.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9);
        forecasts.forEach(({ predictedMs, plannedLoad }, index) => {
          expect(meetsLimit(predictedMs ?? Number.NaN, service.latencyMs)).toBe(true);
          expect(plannedLoad).toBeLessThanOrEqual((instances[index] as OperatingPoint).maxLoad * (1 + 1e-9));
        });
      }),
      { numRuns: 100, seed: 22 },
    );
  });

  test('do not depend on the order of the rows', () => {
    fc.assert(
      fc.property(workloads, ({ rows, service }) => {
        expect(pointsOf(aWorkload({ rows: [...rows].reverse() }), service)).toEqual(pointsOf(aWorkload({ rows }), service));
      }),
      { numRuns: 50, seed: 23 },
    );
  });
});

/** Rows of one slice with distinct settings, and a service that may or may not live on them. */
const workloads = fc
  .record({
    settings: fc.uniqueArray(fc.record({ batch: fc.constantFrom(1, 2, 4, 8, 16), processes: fc.integer({ min: 1, max: 4 }) }), {
      minLength: 1,
      maxLength: 8,
      selector: ({ batch, processes }) => `${batch} ${processes}`,
    }),
    speeds: fc.array(fc.double({ min: 50, max: 150, noNaN: true }), { minLength: 8, maxLength: 8 }),
    rateRps: fc.double({ min: -1, max: 3.5, noNaN: true }).map((exponent) => 10 ** exponent),
    latencyMs: fc.double({ min: 5, max: 500, noNaN: true }),
    maxUtilization: fc.constantFrom(1, 0.9, 0.3),
    maxBatch: fc.constantFrom(Number.POSITIVE_INFINITY, 4),
    rule: fc.record({
      percentile: fc.constantFrom(90, 99),
      burstiness: fc.constantFrom(0.5, 1, 2),
      router: fc.constantFrom('round-robin' as const, 'random' as const),
      rule: fc.constantFrom('safe' as const, 'tight' as const),
    }),
  })
  .map(({ settings, speeds, rule, ...service }) => ({
    rows: settings.map((setting, index) =>
      aRow({ ...setting, throughputRps: (speeds[index] as number) * Math.sqrt(setting.batch * setting.processes) }),
    ),
    service: { ...service, latency: aRule(rule) } satisfies Partial<Service>,
  }));

/** Planned throughput of a row by bisection on the forward formula, under the least favourable share of the service. */
function searchPlannedRps(rows: readonly PerformanceRow[], row: PerformanceRow, service: Service): number {
  if (row.batch > service.maxBatch || row.processes > 3 || service.latency.kind !== 'percentile') return 0;
  const rule = service.latency;
  const single = rows.find((other) => other.batch === 1 && other.processes === row.processes);
  const speed = speedOf(single === undefined ? { row } : { row, singleMs: (1000 * single.processes) / single.throughputRps });
  const serviceCapacityRps = rule.burstiness > 1 ? Math.max(row.throughputRps, service.rateRps) : Number.POSITIVE_INFINITY;
  const meets = (load: number) =>
    predictPercentileMs(rule, speed, { load, rateRps: service.rateRps, serviceCapacityRps }) <= service.latencyMs / 1.1;
  let low = 0;
  let high = Math.min(0.98, service.maxUtilization);
  if (meets(high)) low = high;
  for (let step = 0; step < 40 && low < high; step++) {
    const middle = (low + high) / 2;
    if (meets(middle)) low = middle;
    else high = middle;
  }
  return low * row.throughputRps;
}
