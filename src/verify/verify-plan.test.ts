import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlanDocument } from '../demand/documents/plan.js';
import type { LatencyRule } from '../demand/workload.js';
import { claimMutations } from './claim-mutations.fixture.js';
import { layoutMutations, type Pick } from './layout-mutations.fixture.js';
import { makePlan, sealPlan } from './plan.fixture.js';
import { verifyPlan } from './verify-plan.js';
import type { VerifyReport } from './verify-report.js';
import { aGpuModel, aPool, aService, aWorkload, safeRule } from './workload.fixture.js';

const brokenChecks = (report: VerifyReport) => report.checks.filter(({ ok }) => !ok).map(({ name }) => name);
const violationsOf = (report: VerifyReport) => report.checks.flatMap(({ violations }) => violations);

const rule: fc.Arbitrary<LatencyRule> = fc.constantFrom<LatencyRule>(
  safeRule,
  { kind: 'percentile', percentile: 95, burstiness: 2, router: 'round-robin', rule: 'tight' },
  { kind: 'percentile', percentile: 99, burstiness: 3, router: 'random', rule: 'safe' },
  { kind: 'factor', factor: 0.45 },
);

const service = fc.record({
  model: fc.constantFrom('net', 'bert'),
  rateRps: fc.constantFrom(0, 0.5, 40, 300, 2500),
  latencyMs: fc.constantFrom(900, 1500, 4000),
  minReplicas: fc.constantFrom(1, 1, 1, 2),
  maxUtilization: fc.constantFrom(1, 0.8),
  latency: rule,
});

/** Small workloads on one or two pools, with a plan by a simple planner. */
const planned = fc
  .record({
    services: fc.array(service, { minLength: 1, maxLength: 4 }),
    objective: fc.constantFrom<PlanDocument['objective']>('gpus', 'cost', 'max-min'),
    pools: fc.constantFrom(1, 2),
    poolPrice: fc.constantFrom(0.25, 1),
    factor: fc.constantFrom(0.4, 1, 1.7),
  })
  .filter(({ services, objective }) => objective !== 'max-min' || services.some(({ rateRps }) => rateRps > 0))
  .map(({ services, objective, pools, poolPrice, factor }) => {
    const named = services.map((changes, index) => aService({ ...changes, name: `s${index}` }));
    const count = objective === 'max-min' ? 200 : pools === 2 ? 150 : Number.POSITIVE_INFINITY;
    const offered = [aPool({ count, price: 2 }), aPool({ name: 'big', gpu: aGpuModel('SYN-160GB'), count, price: 3.5 })].slice(0, pools);
    const workload = aWorkload(named, offered);
    return { workload, plan: makePlan(workload, { objective, poolPrice, factor }) };
  });

describe('verifying a plan', () => {
  it('accepts a plan that keeps its promises', () => {
    fc.assert(
      fc.property(planned, ({ workload, plan }) => {
        expect(violationsOf(verifyPlan(workload, plan))).toEqual([]);
      }),
      { seed: 41, numRuns: 150 },
    );
  });

  it.each([...layoutMutations, ...claimMutations])('rejects it after a change of this kind: $name', ({ check, apply }) => {
    let broken = 0;
    fc.assert(
      fc.property(planned, fc.infiniteStream(fc.nat()), ({ workload, plan }, numbers) => {
        const draft = structuredClone(plan);
        const pick: Pick = (items) => items[numbers.next().value % items.length] as (typeof items)[number];
        if (apply(draft, pick) === false) return;
        broken++;
        const report = verifyPlan(workload, sealPlan(draft));
        expect(report.kind).toBe('broken');
        expect(brokenChecks(report)).toContain(check);
      }),
      { seed: 42, numRuns: 20 },
    );
    expect(broken).toBeGreaterThan(0);
  });

  it('rejects it after any one number in it has grown', () => {
    fc.assert(
      fc.property(planned, fc.nat(), ({ workload, plan }, at) => {
        const draft = structuredClone(plan);
        const places = listNumbers(draft);
        const { holder, key, value } = places[at % places.length] as (typeof places)[number];
        holder[key] = Number.isInteger(value) ? value + 1 : value * 1.05;
        expect(verifyPlan(workload, sealPlan(draft)).kind).toBe('broken');
      }),
      { seed: 43, numRuns: 150 },
    );
  });

  it('rejects a plan whose id is not the hash of its content', () => {
    const workload = aWorkload([aService()]);
    const report = verifyPlan(workload, { ...makePlan(workload), strategy: 'other' });
    expect(brokenChecks(report)).toEqual(['identity']);
  });

  it('says what is wrong, where, what was expected and what was found', () => {
    const workload = aWorkload([aService()]);
    const draft = structuredClone(makePlan(workload));
    const [gpu] = draft.gpus;
    Object.assign(gpu?.instances[0] ?? {}, { start: 6, batch: 5 });
    expect(violationsOf(verifyPlan(workload, sealPlan(draft)))).toMatchInlineSnapshot(`
      [
        {
          "expected": "start 0",
          "message": "gpu-0 7g@6: a 7g cannot start at memory slice 6 of SYN-80GB.",
          "received": "6",
          "where": "gpu-0 7g@6",
        },
        {
          "expected": "a measured row",
          "message": "gpu-0 7g@6: net was not measured so on SYN-80GB.",
          "received": "batch 5, processes 3",
          "where": "gpu-0 7g@6",
        },
      ]
    `);
  });

  it('answers for a plan that has nothing to do with the workload', () => {
    const stranger = makePlan(aWorkload([aService({ name: 'other', model: 'bert' })], [aPool({ name: 'elsewhere' })]));
    const report = verifyPlan(aWorkload([aService()]), stranger);
    expect(brokenChecks(report)).toEqual(expect.arrayContaining(['gpus', 'services', 'certificate']));
  });
});

/** Every number in a value, with where it is held. */
function listNumbers(value: unknown): { readonly holder: Record<string, number>; readonly key: string; readonly value: number }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'number' ? [{ holder: value as Record<string, number>, key, value: inner }] : listNumbers(inner),
  );
}
