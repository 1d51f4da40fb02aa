import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aPool, aRow, aService } from '../../demand/demand.fixture.js';
import type { Workload } from '../../demand/workload.js';
import { verifyPlan } from '../../verify/verify-plan.js';
import { findLeastCost } from '../brute-force.fixture.js';
import { aSmallPool, planHere, workloads } from '../plan.fixture.js';
import { type StrategyName, strategies } from '../plan.js';
import type { PlanResult } from '../plan-result.js';
import type { StrategyOptions } from './strategy-options.js';

const names = Object.keys(strategies) as StrategyName[];
const published = ['greedy', 'mig-serving', 'utility-first'] as const;
const timeoutMs = 30_000;
const quick: StrategyOptions = { rounds: 4, refillNodes: 4, population: 3 };
const a100 = aPool({}, ['1g.10gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb']);

function gpusOf(result: PlanResult): number {
  if (result.kind === 'infeasible') throw new Error(result.conflicts.map(({ message }) => message).join('; '));
  return result.plan.gpus.length;
}

/** Failed checks of a plan; none for an answer without a plan whose every conflict says that the strategy cannot apply. */
function problemsOf(workload: Workload, result: PlanResult): readonly unknown[] {
  if (result.kind === 'infeasible') return result.conflicts.filter(({ code }) => code !== 'STRATEGY_CANNOT_APPLY');
  const report = verifyPlan(workload, result.plan);
  return report.checks.flatMap(({ violations }) => violations);
}

describe('every strategy', () => {
  test(
    'writes plans that verify, or says that it cannot apply',
    async () => {
      await fc.assert(
        fc.asyncProperty(workloads({ services: 6, pools: [a100], most: 3, maxReplicas: 3 }), async (workload) => {
          for (const strategy of names) {
            const result = await planHere(workload, { strategy, strategyOptions: quick });
            expect([strategy, ...problemsOf(workload, result)]).toEqual([strategy]);
            if (published.some((name) => name === strategy)) expect([strategy, result.kind]).toEqual([strategy, 'plan']);
          }
        }),
        { seed: 3, numRuns: 5 },
      );
    },
    timeoutMs,
  );

  test(
    'keeps the limits of several pools and counts their prices',
    async () => {
      const pools = [aSmallPool({ count: 3, price: 0.4 }), { ...a100, price: 1.5 }];
      await fc.assert(
        fc.asyncProperty(workloads({ services: 5, pools, most: 2, maxReplicas: 2 }), async (workload) => {
          for (const strategy of names) {
            const result = await planHere(workload, { strategy, objective: 'cost', strategyOptions: quick });
            expect([strategy, ...problemsOf(workload, result)]).toEqual([strategy]);
          }
        }),
        { seed: 4, numRuns: 4 },
      );
    },
    timeoutMs,
  );

  test('never beats the least number of GPUs that trying everything finds', async () => {
    await fc.assert(
      fc.asyncProperty(workloads({ services: 3, pools: [aSmallPool()], most: 0.8 }), async (workload) => {
        const least = findLeastCost(workload, 3);
        fc.pre(least !== undefined);
        for (const strategy of names) {
          const result = await planHere(workload, { strategy, strategyOptions: quick });
          if (result.kind === 'plan') expect(result.plan.gpus.length).toBeGreaterThanOrEqual(least as number);
        }
      }),
      { seed: 5, numRuns: 25 },
    );
  });

  test('leaves alone what others hold', async () => {
    const pool = { ...a100, count: 2 };
    const workload: Workload = {
      name: 'shared',
      services: [aService({ rateRps: 200, latencyMs: 1e6, latency: { kind: 'factor', factor: 1 } })],
      pools: [pool],
      rows: pool.profiles.map(({ name, computeSlices }) => aRow({ profile: name, throughputRps: 100 * computeSlices })),
      maxProcesses: 1,
    };
    const current = {
      apiVersion: 'inlay.dev/v1alpha1' as const,
      kind: 'State' as const,
      metadata: { name: 'now' },
      services: [],
      gpus: [
        { id: 'taken', pool: 'a100', type: 'A100-80GB', reserved: true, instances: [] },
        {
          id: 'shared',
          pool: 'a100',
          type: 'A100-80GB',
          instances: [{ profile: '4g.40gb', start: 0, service: null, reserved: true }],
        },
      ],
    };
    for (const strategy of names) {
      const result = await planHere(workload, { strategy, current, strategyOptions: quick });
      if (result.kind === 'plan') expect(result.plan.gpus.map(({ id }) => id)).toEqual(['shared']);
      else expect(result.conflicts[0]?.code).toBe('STRATEGY_CANNOT_APPLY');
    }
  });

  test('refuses a fixed fleet, except the exact one', async () => {
    const workload: Workload = { ...oneService(), pools: [{ ...a100, count: 1 }] };
    for (const strategy of names) {
      const result = await planHere(workload, { strategy, objective: 'max-min' });
      expect(result.kind).toBe(strategy === 'exact' ? 'plan' : 'infeasible');
    }
  });

  test('says how many GPUs are needed when the pools are proven to be too small', async () => {
    const workload: Workload = { ...oneService(), pools: [{ ...a100, count: 1 }] };
    const big = { ...workload, services: workload.services.map((service) => ({ ...service, rateRps: 5000 })) };
    for (const strategy of published) {
      const result = await planHere(big, { strategy });
      expect(result).toMatchObject({ kind: 'infeasible', conflicts: [{ code: 'POOL_TOO_SMALL' }] });
    }
  });

  test('gives a service of rate 0 nothing', async () => {
    const workload = { ...oneService(), services: [aService({ rateRps: 0 })] };
    for (const strategy of names) expect(gpusOf(await planHere(workload, { strategy }))).toBe(0);
  });
});

describe('the published strategies', () => {
  test('mig-serving is never worse than greedy', async () => {
    await fc.assert(
      fc.asyncProperty(
        workloads({ services: 10, pools: [a100], most: 4, maxReplicas: 2 }),
        fc.integer({ min: 1, max: 3 }),
        async (workload, maxMix) => {
          const strategyOptions = { ...quick, maxMix, lastMix: maxMix };
          const greedy = await planHere(workload, { strategy: 'greedy', strategyOptions });
          const evolved = await planHere(workload, { strategy: 'mig-serving', strategyOptions });
          expect(gpusOf(evolved)).toBeLessThanOrEqual(gpusOf(greedy));
        },
      ),
      { seed: 6, numRuns: 15 },
    );
  });

  test('mig-serving shows its best so far after every round, never rising, and the plan has the last', async () => {
    const [workload] = fc.sample(workloads({ services: 12, pools: [a100], most: 4 }), { seed: 12, numRuns: 1 });
    const curve: number[] = [];
    const result = await planHere(workload as Workload, {
      strategy: 'mig-serving',
      strategyOptions: { ...quick, rounds: 12, maxMix: 1, lastMix: 1 },
      onProgress: ({ round, best }) => {
        if (round !== undefined) curve.push(best as number);
      },
    });
    expect(curve.length).toBeGreaterThan(1);
    expect(curve).toEqual([...curve].sort((a, b) => b - a));
    expect(gpusOf(result)).toBe(curve.at(-1));
  });

  test('the same seed gives the same bytes', async () => {
    const [workload] = fc.sample(workloads({ services: 10, pools: [a100], most: 4 }), { seed: 1, numRuns: 1 });
    for (const strategy of published) {
      const options = { strategy, strategyOptions: { ...quick, seed: 7, maxMix: 2 } };
      const [a, b] = [await planHere(workload as Workload, options), await planHere(workload as Workload, options)];
      expect(JSON.stringify(a)).toBe(JSON.stringify(b));
    }
  });

  test('more mixing than slots and more children than configurations mean all of them', async () => {
    const [workload] = fc.sample(workloads({ services: 2, pools: [aSmallPool()], most: 1 }), { seed: 2, numRuns: 1 });
    for (const strategy of published) {
      const wide = await planHere(workload as Workload, { strategy, strategyOptions: { ...quick, maxMix: 1000, topK: 1000 } });
      expect(problemsOf(workload as Workload, wide)).toEqual([]);
    }
  });

  test('no rounds, no nodes and a population of one still give a plan', async () => {
    const workload = oneService();
    for (const strategyOptions of [{ rounds: 0 }, { nodes: 0 }, { nodes: 3 }, { refillNodes: 0 }, { population: 1 }, { topK: 1 }]) {
      expect(gpusOf(await planHere(workload, { strategy: 'mig-serving', strategyOptions }))).toBe(1);
    }
  });

  test('a stopped search keeps its greedy seed', async () => {
    const [workload] = fc.sample(workloads({ services: 12, pools: [a100], most: 4 }), { seed: 12, numRuns: 1 });
    const result = await planHere(workload as Workload, {
      strategy: 'mig-serving',
      strategyOptions: { maxMix: 1, lastMix: 1 },
      signal: AbortSignal.abort('time'),
    });
    expect(result).toMatchObject({ kind: 'plan', plan: { stoppedBy: 'time' } });
  });

  test('options out of range are refused by name', async () => {
    for (const [name, value] of Object.entries({
      population: 0,
      topK: 0,
      maxMix: 0.5,
      rounds: -1,
      idleRounds: 0,
      nodes: Number.NaN,
      seed: 0.1,
    })) {
      const attempt = planHere(oneService(), { strategy: 'mig-serving', strategyOptions: { [name]: value } });
      await expect(attempt).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining(name) });
    }
  });
});

describe('utility-first', () => {
  test('keeps what runs when that is as good as anything', async () => {
    const [workload] = fc.sample(workloads({ services: 6, pools: [a100], most: 2 }), { seed: 8, numRuns: 1 });
    const first = await planHere(workload as Workload, { strategy: 'utility-first' });
    if (first.kind !== 'plan') throw new Error('no plan');
    const { gpus } = first.plan;
    const current = {
      apiVersion: 'inlay.dev/v1alpha1' as const,
      kind: 'State' as const,
      metadata: { name: 'now' },
      services: [],
      gpus: gpus.map(({ id, pool, type, instances }) => ({
        id,
        pool,
        type,
        instances: instances.map(({ profile, start, service, batch }) => ({ profile, start, service, batch })),
      })),
    };
    const again = await planHere(workload as Workload, { strategy: 'utility-first', current });
    if (again.kind !== 'plan') throw new Error('no plan');
    const contents = (plan: typeof first.plan): string[] =>
      plan.gpus
        .map(({ instances }) =>
          instances
            .map(({ profile, service }) => `${profile} ${service}`)
            .sort()
            .join(),
        )
        .sort();
    expect(contents(again.plan)).toEqual(contents(first.plan));
  });
});

describe('the naive strategies', () => {
  test('whole counts the GPUs that services need one by one', async () => {
    const workload: Workload = {
      ...oneService(),
      services: ['a', 'b'].map((name) => aService({ name, rateRps: 1500, latencyMs: 1e6, latency: { kind: 'factor', factor: 1 } })),
    };
    expect(gpusOf(await planHere(workload, { strategy: 'whole' }))).toBe(6);
    expect(gpusOf(await planHere(workload, { strategy: 'exact' }))).toBe(5);
  });

  test('whole-single uses one process although the workload allows more', async () => {
    const { rows, ...rest } = oneService();
    const faster = rows.map((row) => ({ ...row, processes: 2, throughputRps: 2 * row.throughputRps }));
    const workload: Workload = { ...rest, rows: [...rows, ...faster], services: [aService({ ...rest.services[0], rateRps: 1400 })] };
    expect(gpusOf(await planHere(workload, { strategy: 'whole' }))).toBe(1);
    expect(gpusOf(await planHere(workload, { strategy: 'whole-single' }))).toBe(2);
  });

  test('smallest takes a larger slice only where a model does not run on the smallest', async () => {
    const workload: Workload = {
      ...oneService(),
      services: ['small', 'large'].map((model) =>
        aService({ name: model, model, rateRps: 100, latencyMs: 1e6, latency: { kind: 'factor', factor: 1 } }),
      ),
      rows: a100.profiles.flatMap(({ name, computeSlices }) =>
        ['small', 'large']
          .filter((model) => model === 'small' || computeSlices > 1)
          .map((model) => aRow({ model, profile: name, throughputRps: 50 * computeSlices })),
      ),
    };
    const result = await planHere(workload, { strategy: 'smallest' });
    if (result.kind !== 'plan') throw new Error('no plan');
    const used = result.plan.gpus.flatMap(({ instances }) => instances.map(({ service, profile }) => `${service} ${profile}`));
    expect([...used].sort()).toEqual(['large 2g.20gb', 'small 1g.10gb', 'small 1g.10gb']);
  });

  test('static-mix and balanced cut every GPU alike', async () => {
    const workload: Workload = {
      ...oneService(),
      services: [aService({ rateRps: 1400, latencyMs: 1e6, latency: { kind: 'factor', factor: 1 } })],
    };
    for (const [strategy, layout] of [
      ['static-mix', '1g.10gb 2g.20gb 4g.40gb'],
      ['balanced', '1g.10gb 1g.10gb 2g.20gb 3g.40gb'],
    ] as const) {
      const result = await planHere(workload, { strategy });
      if (result.kind !== 'plan') throw new Error('no plan');
      expect(
        result.plan.gpus.map(({ instances }) =>
          instances
            .map(({ profile }) => profile)
            .sort()
            .join(' '),
        ),
      ).toEqual([layout, layout]);
    }
  });

  test('say that they cannot apply where the layout or the slices do not fit', async () => {
    const full: Workload = { ...oneService(), pools: [aPool({}, ['7g.80gb'])] };
    for (const strategy of ['static-mix', 'balanced'] as const) {
      expect(await planHere(full, { strategy })).toMatchObject({ kind: 'infeasible', conflicts: [{ code: 'STRATEGY_CANNOT_APPLY' }] });
    }
    const large: Workload = { ...oneService(), rows: [aRow({ profile: '7g.80gb', throughputRps: 700 })] };
    expect(await planHere(large, { strategy: 'static-mix' })).toMatchObject({
      kind: 'infeasible',
      conflicts: [{ code: 'STRATEGY_CANNOT_APPLY', service: 's' }],
    });
  });
});

/** One service that needs one slice in seven for every 100 requests per second. */
function oneService(): Workload {
  return {
    name: 'one',
    services: [aService({ latencyMs: 1e6, latency: { kind: 'factor', factor: 1 } })],
    pools: [a100],
    rows: a100.profiles.map(({ name, computeSlices }) => aRow({ profile: name, throughputRps: 100 * computeSlices })),
    maxProcesses: Number.POSITIVE_INFINITY,
  };
}
