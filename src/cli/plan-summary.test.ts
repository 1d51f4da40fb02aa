import { describe, expect, test } from 'vitest';
import type { PlanDocument, PlanInstance } from '../demand/documents/plan.js';
import { syntheticPlan } from '../formats/synthetic-plan.fixture.js';
import { proof, summarizePlan } from './plan-summary.js';

const search: PlanInstance = {
  profile: '1g.10gb',
  start: 0,
  service: 'search',
  batch: 8,
  processes: 3,
  capacityRps: 373.5,
  plannedCapacityRps: 356.3,
  weight: 0.5,
  plannedLoad: 0.9,
  predictedP99Ms: 136.42,
};

const small: PlanDocument = {
  ...syntheticPlan({ services: 0, gpus: 0 }),
  metadata: { name: 'vision', id: `sha256:${'0'.repeat(64)}` },
  gpus: [
    {
      id: 'a-1',
      pool: 'a',
      type: 'A100-80GB',
      instances: [search, { ...search, profile: '3g.40gb', start: 4, service: 'tags', batch: 1 }],
    },
    { id: 'a-2', pool: 'a', type: 'A100-80GB', occupied: [{ profile: '1g.10gb', start: 6 }], instances: [search] },
    { id: 'a-3', pool: 'a', type: 'A100-80GB', occupied: [{ profile: '1g.10gb', start: 6 }], instances: [search] },
  ],
  services: [
    { name: 'search', rateRps: 829, capacityRps: 1120.5, plannedCapacityRps: 1068.9, instances: 3, limitedBy: 'latency' },
    { name: 'tags', rateRps: 100, capacityRps: 373.5, plannedCapacityRps: 356.3, instances: 1, limitedBy: 'none' },
    { name: 'idle', rateRps: 0, capacityRps: 0, plannedCapacityRps: 0, instances: 0, limitedBy: 'none' },
  ],
  totals: { gpus: 3, cost: 3, instances: 4 },
  bound: { value: 2.4102, gpus: 3, certificate: { slicePrices: {}, poolPrices: {} } },
};

test('a summary folds equal GPUs and shows what each service gets against what it needs', () => {
  expect(
    summarizePlan(small, [
      { name: 'search', latencyMs: 204.5 },
      { name: 'tags', latencyMs: 300 },
      { name: 'idle', latencyMs: 50 },
    ]),
  ).toMatchInlineSnapshot(`
    "vision: 3 GPUs (3 × A100-80GB), 4 instances
    Proven: no plan has fewer GPUs (bound 2.41, so at least 3 GPUs).

      GPUs  type       pool  instances: profile@start service batch×processes
         2  A100-80GB  a     1g.10gb@6 (held by others); 1g.10gb@0 search 8×3
         1  A100-80GB  a     1g.10gb@0 search 8×3; 3g.40gb@4 tags 1×3

      service  rate rps  planned rps  measured rps  predicted ms  limit ms  limited by  instances
      search        829       1068.9        1120.5         136.4     204.5  latency     3 × 1g.10gb
      tags          100        356.3         373.5         136.4       300  none        1 × 3g.40gb
      idle            0            0             0             –        50  none
    "
  `);
});

describe('the proof in a sentence', () => {
  const cost = { ...small, objective: 'cost' as const, bound: { value: 123.456, certificate: small.bound.certificate } };
  const share = { ...small, objective: 'max-min' as const, bound: { value: 0.83456, certificate: small.bound.certificate } };
  test.each([
    ['fewest GPUs', small],
    ['a GPU too many', { ...small, optimal: false, gapGpus: 1, gap: 0.2, stoppedBy: 'time' as const }],
    ['lowest cost', cost],
    ['a gap in cost', { ...cost, optimal: false, gap: 0.00013, stoppedBy: 'interrupt' as const }],
    ['largest share', share],
    ['a gap in the share', { ...share, optimal: false, gap: 0.0012, stoppedBy: 'rounds' as const }],
  ])('%s', (_, plan) => {
    expect(proof(plan)).toMatchSnapshot();
  });
});

test('a large fleet is folded by layout, and long tables say what they leave out', () => {
  const summary = summarizePlan(syntheticPlan({ services: 300, gpus: 2000 }), []);
  expect(summary.split('\n').length).toBeLessThan(100);
  expect(summary).toMatch(/^synthetic fleet: 2000 GPUs \(2000 × A100-80GB\)/);
  expect(summary).toMatch(/… and 260 more services \(all of them with -o FILE or --json\)/);
});
