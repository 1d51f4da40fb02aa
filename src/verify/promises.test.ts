import { describe, expect, it } from 'vitest';
import type { PlanDocument } from '../demand/documents/plan.js';
import type { StateDocument, StateGpu } from '../demand/documents/state.js';
import type { Service, Workload } from '../demand/workload.js';
import { concludePlan, makePlan, sealPlan } from './plan.fixture.js';
import { verifyPlan } from './verify-plan.js';
import { aPool, aService, aWorkload } from './workload.fixture.js';

const brokenChecks = (workload: Workload, plan: PlanDocument, current?: StateDocument) =>
  verifyPlan(workload, plan, { current })
    .checks.filter(({ ok }) => !ok)
    .map(({ name }) => name);

/** A valid plan held against a service that wants more than it was made for. */
function heldAgainst(wish: Partial<Service>, made: Partial<Service> = {}): readonly string[] {
  const base = aService({ rateRps: 500, ...made });
  return brokenChecks(aWorkload([{ ...base, ...wish }]), makePlan(aWorkload([base])));
}

const aState = (gpus: readonly Partial<StateGpu>[]): StateDocument => ({
  apiVersion: 'inlay.dev/v1alpha1',
  kind: 'State',
  metadata: { name: 'now' },
  services: [],
  gpus: gpus.map((gpu, index) => ({ id: `physical-${index}`, pool: 'syn', type: 'SYN-80GB', instances: [], ...gpu })),
});

describe('the wishes of a service', () => {
  it('for replicas on different GPUs are checked', () => {
    expect(heldAgainst({ minReplicas: 2 })).toContain('replicas');
    expect(heldAgainst({ minReplicas: 3 }, { minReplicas: 3 })).toEqual([]);
  });

  it('for a largest load, batch and list of profiles are checked', () => {
    expect(heldAgainst({ maxUtilization: 0.3 })).toContain('loads');
    expect(heldAgainst({ maxBatch: 1 })).toContain('operating points');
    expect(heldAgainst({ profiles: ['1g'] })).toContain('operating points');
  });

  it('for a latency are checked, by both rules', () => {
    expect(heldAgainst({ latencyMs: 100 })).toContain('loads');
    expect(heldAgainst({ latency: { kind: 'factor', factor: 0.01 } }, { latency: { kind: 'factor', factor: 1 } })).toContain(
      'operating points',
    );
  });

  it('for memory are checked against what a process can use', () => {
    const workload = aWorkload([aService()]);
    const heavy = { ...workload, rows: workload.rows.map((row) => ({ ...row, memoryGiB: 60 })) };
    expect(brokenChecks(heavy, makePlan(workload))).toContain('operating points');
  });

  it('for processes are checked', () => {
    const workload = aWorkload([aService()]);
    expect(brokenChecks({ ...workload, maxProcesses: 1 }, makePlan(workload))).toContain('operating points');
  });
});

describe('the limits of a pool', () => {
  const services = [aService({ rateRps: 4000 })];
  const plan = makePlan(aWorkload(services));
  const needed = plan.gpus.length;

  it('allow exactly as many GPUs as there are', () => {
    expect(brokenChecks(aWorkload(services, [aPool({ count: needed })]), plan)).toEqual([]);
    expect(brokenChecks(aWorkload(services, [aPool({ count: needed - 1 })]), plan)).toContain('pools');
  });

  it('are lowered by GPUs that others hold', () => {
    const workload = aWorkload(services, [aPool({ count: needed })]);
    expect(brokenChecks(workload, plan, aState([{ reserved: true }]))).toContain('pools');
    expect(brokenChecks(workload, plan, aState([{ instances: [{ profile: '1g', start: 0, service: null, reserved: true }] }]))).toContain(
      'pools',
    );
    expect(brokenChecks(workload, plan, aState([{}]))).toEqual([]);
  });

  it('keep a held GPU from being used', () => {
    const workload = aWorkload(services);
    expect(brokenChecks(workload, plan, aState([{ id: 'gpu-0', reserved: true }]))).toContain('pools');
  });

  it('make the plan name what others hold on a GPU that it shares', () => {
    const workload = aWorkload([aService({ rateRps: 1 })]);
    const shared = makePlan(workload);
    const occupied = [{ profile: '3g', start: 4 }];
    const withOccupied = sealPlan({ ...shared, gpus: shared.gpus.map((gpu) => ({ ...gpu, occupied })) });
    const held = aState([{ id: 'gpu-0', instances: [{ profile: '3g', start: 4, service: null, reserved: true }] }]);
    expect(shared.gpus[0]?.instances).toMatchObject([{ start: 0 }]);
    expect(brokenChecks(workload, withOccupied, held)).toEqual([]);
    expect(brokenChecks(workload, shared, held)).toContain('pools');
    expect(brokenChecks(workload, withOccupied, aState([{ id: 'gpu-0' }]))).toContain('pools');
  });

  it('keep instances off slices that others hold', () => {
    const workload = aWorkload([aService({ rateRps: 1 })]);
    const plan = makePlan(workload);
    const clash = sealPlan({ ...plan, gpus: plan.gpus.map((gpu) => ({ ...gpu, occupied: [{ profile: '4g', start: 0 }] })) });
    expect(brokenChecks(workload, clash)).toContain('placements');
  });

  it('keep a 4g and a 3g apart where drivers demand it', () => {
    const workload = aWorkload([
      aService({ name: 'four', rateRps: 1, profiles: ['4g'] }),
      aService({ name: 'three', rateRps: 1, profiles: ['3g'] }),
    ]);
    const plan = makePlan(workload);
    expect(plan.gpus).toHaveLength(1);
    expect(brokenChecks(workload, plan)).toEqual([]);
    expect(brokenChecks({ ...workload, pools: [aPool({ forbid4gWith3g: true })] }, plan)).toContain('placements');
  });
});

describe('the proof of a cost', () => {
  it('is complete when no sum of GPU prices lies between bound and cost', () => {
    const workload = aWorkload([aService({ rateRps: 2000, profiles: ['1g'] })], [aPool({ price: 0.7 })]);
    const plan = makePlan(workload, { objective: 'cost' });
    const { cost } = plan.totals;
    expect(plan.bound.value).toBeGreaterThan(cost - 0.7);
    expect(plan.bound.value).toBeLessThan(cost);
    expect(brokenChecks(workload, sealPlan({ ...plan, optimal: true, stoppedBy: 'proof' }))).toEqual([]);
    expect(
      brokenChecks(
        { ...workload, pools: [aPool({ price: 0.7 }), aPool({ name: 'cheap', price: 0.001 })] },
        sealPlan({ ...plan, optimal: true }),
      ),
    ).toContain('optimality');
  });

  it('cannot charge for the GPUs of a pool without limit', () => {
    const workload = aWorkload([aService({ rateRps: 9000 })]);
    const plan = makePlan(workload);
    const { certificate } = plan.bound;
    const charged = { ...plan, bound: { ...plan.bound, certificate: { ...certificate, poolPrices: { syn: 0.5 } } } };
    expect(brokenChecks(workload, sealPlan(charged))).toEqual(expect.arrayContaining(['certificate', 'bound']));
  });

  it('counts the replicas that a service wants', () => {
    const workload = aWorkload([aService({ rateRps: 1, minReplicas: 4 })]);
    const plan = makePlan(workload);
    expect(plan.bound.gpus).toBe(4);
    expect(brokenChecks(workload, plan)).toEqual([]);
    expect(brokenChecks(workload, sealPlan(concludePlan({ ...plan, bound: { ...plan.bound, value: 4.01 } })))).toContain('bound');
  });
});

describe('a plan for a fixed fleet', () => {
  const first = aService({ name: 'first', rateRps: 2000, priority: 5 });
  const second = aService({ name: 'second', model: 'bert', rateRps: 9000, latencyMs: 800 });

  it('is held against what the fleet can serve of every rate', () => {
    const workload = aWorkload([{ ...first, priority: 0 }, second], [aPool({ count: 12 })]);
    const plan = makePlan(workload, { objective: 'max-min', poolPrice: 1, factor: 0.5 });
    expect(brokenChecks(workload, plan)).toEqual([]);
    expect(brokenChecks(workload, sealPlan(concludePlan({ ...plan, bound: { ...plan.bound, value: plan.bound.value * 0.98 } })))).toEqual([
      'bound',
    ]);
  });

  it('serves higher priorities whole before it cuts the next', () => {
    const half = [first, { ...second, rateRps: 4500 }];
    const fleet = [aPool({ count: makePlan(aWorkload(half)).gpus.length })];
    const workload = aWorkload([first, second], fleet);
    const alone = makePlan(aWorkload(half, fleet), { objective: 'max-min', poolPrice: 1 });
    const plan = sealPlan({
      ...alone,
      services: alone.services.map((service) => (service.name === 'second' ? { ...service, rateRps: 9000, factor: 0.5 } : service)),
      totals: { ...alone.totals, factor: 0.5 },
    });
    const tight = (value: number) => sealPlan(concludePlan({ ...plan, bound: { ...plan.bound, value } }));
    expect(brokenChecks(workload, tight(0.99))).toEqual([]);
    expect(brokenChecks(workload, tight(0.5))).toEqual(['bound']);
    // A class that others wait behind gets no more than its whole rate in any case.
    expect(brokenChecks(workload, tight(1))).toEqual([]);
  });
});
