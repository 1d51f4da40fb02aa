import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aPool, aRow, aService, aWorkload } from '../demand/demand.fixture.js';
import type { PlanDocument } from '../demand/documents/plan.js';
import type { Workload } from '../demand/workload.js';
import { aGpu, profilesOf } from '../gpu/gpu.fixture.js';
import { verifyPlan } from '../verify/verify-plan.js';
import { findLeastCost } from './brute-force.fixture.js';
import { aSmallPool, planHere, workloads } from './plan.fixture.js';
import type { PlanResult } from './plan-result.js';

const runs = { seed: 20_260_101, numRuns: 40 } as const;

function planOf(result: PlanResult): PlanDocument {
  if (result.kind !== 'plan') throw new Error(`infeasible: ${JSON.stringify(result.conflicts)}`);
  return result.plan;
}

function expectToHold(workload: Workload, plan: PlanDocument): void {
  const report = verifyPlan(workload, plan);
  expect(report.checks.flatMap(({ violations }) => violations)).toEqual([]);
}

describe('the fewest GPUs', () => {
  test('equal what trying everything finds, on one pool', async () => {
    await fc.assert(
      fc.asyncProperty(workloads({ services: 3, pools: [aSmallPool()], most: 0.9 }), async (workload) => {
        const plan = planOf(await planHere(workload));
        expect(plan.totals.gpus).toBe(findLeastCost(workload, 3) ?? plan.totals.gpus);
        expectToHold(workload, plan);
      }),
      runs,
    );
  });

  test('equal what trying everything finds with replicas on different GPUs', async () => {
    await fc.assert(
      fc.asyncProperty(workloads({ services: 3, pools: [aSmallPool()], most: 0.5, maxReplicas: 3 }), async (workload) => {
        const plan = planOf(await planHere(workload));
        expect(plan.totals.gpus).toBe(findLeastCost(workload, 3) ?? plan.totals.gpus);
        expectToHold(workload, plan);
      }),
      { ...runs, numRuns: 25 },
    );
  });

  test('equal what trying everything finds on a seven-slice GPU', async () => {
    const gpu = aGpu('A100-80GB');
    const pool = aPool({ profiles: profilesOf(gpu, '1g.10gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb') });
    await fc.assert(
      fc.asyncProperty(workloads({ services: 3, pools: [pool], most: 0.6 }), async (workload) => {
        const plan = planOf(await planHere(workload));
        expect(plan.totals.gpus).toBe(findLeastCost(workload, 2) ?? plan.totals.gpus);
        expectToHold(workload, plan);
      }),
      { ...runs, numRuns: 30 },
    );
  });

  test('are proven by a certificate that holds on larger fleets', async () => {
    const gpu = aGpu('H100-80GB');
    const pool = aPool({
      gpu,
      rowsOf: gpu.name,
      profiles: profilesOf(gpu, '1g.10gb', '1g.20gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb'),
    });
    await fc.assert(
      fc.asyncProperty(workloads({ services: 20, pools: [pool], most: 8 }), async (workload) => {
        const plan = planOf(await planHere(workload));
        expect(plan.gapGpus).toBeLessThanOrEqual(1);
        expectToHold(workload, plan);
      }),
      { ...runs, numRuns: 30 },
    );
  });

  test('do not depend on the order or the names of the services', async () => {
    await fc.assert(
      fc.asyncProperty(workloads({ services: 12, pools: [aSmallPool()], most: 4 }), async (workload) => {
        const turned = {
          ...workload,
          services: workload.services.toReversed().map((service) => ({ ...service, name: `renamed-${service.name}` })),
        };
        expect(planOf(await planHere(turned)).totals.gpus).toBe(planOf(await planHere(workload)).totals.gpus);
      }),
      { ...runs, numRuns: 20 },
    );
  });

  test('come out the same, byte for byte, from the same input', async () => {
    const [workload] = fc.sample(workloads({ services: 30, pools: [aSmallPool()], most: 4 }), { seed: 5, numRuns: 1 });
    const [first, second] = await Promise.all([planHere(workload as Workload), planHere(workload as Workload)]);
    expect(JSON.stringify(second)).toBe(JSON.stringify(first));
  });
});

describe('the lowest cost', () => {
  const pools = [
    aSmallPool({ name: 'cheap', price: 0.4 }),
    aPool({ name: 'dear', price: 1, profiles: profilesOf(aGpu('A100-80GB'), '1g.10gb', '3g.40gb', '7g.80gb') }),
  ];

  test('equals what trying everything finds over two pools', async () => {
    await fc.assert(
      fc.asyncProperty(workloads({ services: 3, pools, most: 0.5 }), async (workload) => {
        const plan = planOf(await planHere(workload, { objective: 'cost' }));
        const least = findLeastCost(workload, 2, (pool) => pools[pool]?.price as number);
        if (least !== undefined && plan.totals.gpus <= 2) expect(plan.totals.cost).toBeCloseTo(least, 9);
        if (least !== undefined) expect(plan.totals.cost).toBeLessThanOrEqual(least + 1e-9);
        expectToHold(workload, plan);
      }),
      { ...runs, numRuns: 25 },
    );
  });

  test('uses for a service only the pools that it may use, and is the lowest for that', async () => {
    const names = pools.map(({ name }) => name);
    const choices = fc.array(fc.constantFrom([names[0] as string], [names[1] as string], names, undefined), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(workloads({ services: 3, pools, most: 0.6 }), choices, async (drawn, allowed) => {
        const services = drawn.services.map((service, i) => ({ ...service, ...(allowed[i] && { pools: allowed[i] }) }));
        const workload = { ...drawn, services };
        const plan = planOf(await planHere(workload, { objective: 'cost' }));
        const wrong = plan.gpus.flatMap(({ pool, instances }) =>
          instances.filter(({ service }) => services.find(({ name }) => name === service)?.pools?.includes(pool) === false),
        );
        expect(wrong).toEqual([]);
        expectToHold(workload, plan);
        const least = findLeastCost(workload, 2, (pool) => pools[pool]?.price as number);
        if (least !== undefined) expect(plan.totals.cost).toBeLessThanOrEqual(least + 1e-9);
      }),
      { ...runs, numRuns: 25 },
    );
  });

  test('keeps the limit of each pool', async () => {
    const limited = pools.map((pool, g) => (g === 0 ? { ...pool, count: 2 } : pool));
    await fc.assert(
      fc.asyncProperty(workloads({ services: 8, pools: limited, most: 3 }), async (workload) => {
        const plan = planOf(await planHere(workload, { objective: 'cost' }));
        expect(plan.gpus.filter(({ pool }) => pool === 'cheap').length).toBeLessThanOrEqual(2);
        expectToHold(workload, plan);
      }),
      { ...runs, numRuns: 12 },
    );
  });
});

describe('limited pools', () => {
  const rows = (gpu: string, profile: string, rps: readonly [string, number][]) =>
    rps.map(([model, throughputRps]) => aRow({ model, gpu, profile, throughputRps }));
  const freely = { latency: { kind: 'factor', factor: 1 }, latencyMs: 1e6 } as const;

  test('give replicas to the other pool when their own has too few GPUs', async () => {
    const workload = aWorkload({
      rows: [...rows('A30-24GB', '1g.6gb', [['m', 100]]), ...rows('A100-80GB', '1g.10gb', [['m', 10]])],
      pools: [aSmallPool({ count: 1 }), aPool({ count: 10 })],
      services: [aService({ ...freely, rateRps: 250, minReplicas: 3 })],
    });
    const plan = planOf(await planHere(workload));
    expect(plan).toMatchObject({ totals: { gpus: 3, instances: 5 }, optimal: true });
    expectToHold(workload, plan);
  });

  test('are kept where a cheap answer beyond a limit would look good enough', async () => {
    const workload = aWorkload({
      rows: [...rows('A30-24GB', '4g.24gb', [['m', 1000]]), ...rows('A100-80GB', '7g.80gb', [['m', 1]])],
      pools: [aSmallPool({ count: 1 }), aPool({ count: 600 })],
      services: [aService({ ...freely, rateRps: 1500 })],
    });
    const plan = planOf(await planHere(workload));
    expect(plan.totals.gpus).toBe(501);
    expectToHold(workload, plan);
  });

  test('are named when too small beside a pool without limit', async () => {
    const workload = aWorkload({
      rows: [...rows('A30-24GB', '4g.24gb', [['x', 100]]), ...rows('A100-80GB', '7g.80gb', [['y', 100]])],
      pools: [aSmallPool({ count: 1 }), aPool()],
      services: [aService({ ...freely, name: 'x', model: 'x', rateRps: 150 }), aService({ ...freely, name: 'y', model: 'y', rateRps: 50 })],
    });
    expect(await planHere(workload)).toMatchObject({
      kind: 'infeasible',
      conflicts: [{ code: 'POOL_TOO_SMALL', pool: 'a30', available: 1 }],
    });
  });

  test('hold replicas of many services on as few GPUs as the most replicated one needs', async () => {
    const names = ['a', 'b', 'c'];
    const workload = aWorkload({
      rows: rows(
        'A30-24GB',
        '1g.6gb',
        names.map((name) => [name, 100]),
      ),
      pools: [aSmallPool()],
      services: names.map((name) => aService({ ...freely, name, model: name, rateRps: 10, minReplicas: 200 })),
    });
    const plan = planOf(await planHere(workload));
    expect(plan).toMatchObject({ totals: { gpus: 200 }, optimal: true });
    expectToHold(workload, plan);
  });

  test('refuse rates that would need millions of instances', async () => {
    const workload = aWorkload({ rows: [aRow({ throughputRps: 0.01 })], services: [aService({ ...freely, rateRps: 1e9 })] });
    await expect(planHere(workload)).rejects.toMatchObject({ code: 'TOO_MANY' });
  });
});

describe('max-min', () => {
  const fleet = [aSmallPool({ count: 4 })];

  test('serves a factor that holds on the fleet there is', async () => {
    await fc.assert(
      fc.asyncProperty(workloads({ services: 6, pools: fleet, most: 2 }), async (workload) => {
        const result = await planHere(workload, { objective: 'max-min' });
        if (result.kind === 'infeasible') return;
        expect(result.plan.totals.gpus).toBeLessThanOrEqual(4);
        expectToHold(workload, result.plan);
      }),
      { ...runs, numRuns: 20 },
    );
  });

  test('comes within 0.2 % of the largest factor that trying everything finds', async () => {
    const pair = [aSmallPool({ count: 2 })];
    await fc.assert(
      fc.asyncProperty(workloads({ services: 3, pools: pair, most: 1 }), async (workload) => {
        const result = await planHere(workload, { objective: 'max-min' });
        if (result.kind === 'infeasible') return;
        const beyond = (result.plan.totals.factor as number) * 1.002;
        const services = workload.services.map((service) => ({ ...service, rateRps: service.rateRps * beyond }));
        expect(findLeastCost({ ...workload, services }, 2)).toBeUndefined();
      }),
      { ...runs, numRuns: 20 },
    );
  });

  test('gives a higher priority its whole rate first', async () => {
    const rows = [aRow({ gpu: 'A30-24GB', profile: '1g.6gb', throughputRps: 100 })];
    const service = { latency: { kind: 'factor', factor: 1 }, latencyMs: 1e6 } as const;
    const workload = aWorkload({
      rows,
      pools: [aSmallPool({ count: 1 })],
      services: [aService({ ...service, name: 'low', rateRps: 200 }), aService({ ...service, name: 'high', rateRps: 300, priority: 1 })],
    });
    const plan = planOf(await planHere(workload, { objective: 'max-min' }));
    expect(plan.services.map(({ name, factor }) => [name, factor && Math.round(factor * 1000) / 1000])).toEqual([
      ['low', 0.5],
      ['high', 1],
    ]);
    expect(plan.totals.factor).toBeCloseTo(0.5, 3);
    expectToHold(workload, plan);
  });

  test('asks for a count where a pool has none', async () => {
    await expect(planHere(aWorkload(), { objective: 'max-min' })).rejects.toMatchObject({ code: 'MISSING_KEY' });
  });
});

describe('an input that cannot be met', () => {
  test('names the proven minimum, what the pool has, and the share that can be served', async () => {
    const workload = aWorkload({
      pools: [aPool({ count: 1 })],
      services: [aService({ rateRps: 1000 })],
      rows: [aRow({ throughputRps: 100 })],
    });
    const result = await planHere(workload);
    expect(result).toMatchObject({ kind: 'infeasible', conflicts: [{ code: 'POOL_TOO_SMALL', pool: 'a100', needed: 2, available: 1 }] });
    expect(result.kind === 'infeasible' && result.bestFraction).toBeGreaterThan(0.5);
  });

  test('names a service whose replicas need more GPUs than there are', async () => {
    const workload = aWorkload({ pools: [aPool({ count: 2 })], services: [aService({ minReplicas: 3 })] });
    expect(await planHere(workload)).toMatchObject({ conflicts: [{ code: 'REPLICAS_TOO_MANY', service: 's', needed: 3, available: 2 }] });
  });
});

describe('what others hold', () => {
  const rows = [aRow({ gpu: 'A30-24GB', profile: '1g.6gb', throughputRps: 100 })];
  const workload = aWorkload({
    rows,
    pools: [aSmallPool({ count: 2 })],
    services: [aService({ rateRps: 650, latency: { kind: 'factor', factor: 1 }, latencyMs: 1e6 })],
  });
  const current = {
    apiVersion: 'inlay.dev/v1alpha1',
    kind: 'State',
    metadata: { name: 'now' },
    services: [],
    gpus: [{ id: 'gpu-7', pool: 'a30', type: 'A30-24GB', instances: [{ profile: '1g.6gb', start: 0, service: null, reserved: true }] }],
  } as const;

  test('is left alone, and the rest of the GPU is used', async () => {
    const plan = planOf(
      await planHere(workload, {
        current: { ...current, services: [], gpus: current.gpus.map((gpu) => ({ ...gpu, instances: [...gpu.instances] })) },
      }),
    );
    const shared = plan.gpus.find(({ id }) => id === 'gpu-7');
    expect(shared?.occupied).toEqual([{ profile: '1g.6gb', start: 0 }]);
    expect(shared?.instances.map(({ start }) => start)).toEqual([1, 2, 3]);
    expect(plan.totals.gpus).toBe(2);
  });
});

test('no GPU of a plan takes the name of one that others hold', async () => {
  const held = { id: 'a30-0001', pool: 'a30', type: 'A30-24GB', reserved: true, instances: [] };
  const current = { apiVersion: 'inlay.dev/v1alpha1', kind: 'State', metadata: { name: 'now' }, services: [], gpus: [held] } as const;
  const workload = aWorkload({ rows: [aRow({ gpu: 'A30-24GB', profile: '1g.6gb' })], pools: [aSmallPool({ count: 2 })] });
  const plan = planOf(await planHere(workload, { current: { ...current, services: [], gpus: [held] } }));
  expect(plan.gpus.map(({ id }) => id)).toEqual(['a30-0002']);
});

describe('a search that is stopped', () => {
  test('before it begins still gives a plan with its gap', async () => {
    const stop = new AbortController();
    stop.abort('time');
    const [workload] = fc.sample(workloads({ services: 12, pools: [aSmallPool()], most: 4 }), { seed: 3, numRuns: 1 });
    const plan = planOf(await planHere(workload as Workload, { signal: stop.signal }));
    expect(['time', 'proof']).toContain(plan.stoppedBy);
    expectToHold(workload as Workload, plan);
  });
});

describe('services that want nothing', () => {
  test('are kept and given nothing', async () => {
    const workload = aWorkload({ services: [aService({ rateRps: 0 })] });
    const plan = planOf(await planHere(workload));
    expect(plan).toMatchObject({ gpus: [], totals: { gpus: 0, cost: 0, instances: 0 }, bound: { value: 0, gpus: 0 }, optimal: true });
    expectToHold(workload, plan);
  });
});
