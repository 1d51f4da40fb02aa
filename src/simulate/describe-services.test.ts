import { describe, expect, it } from 'vitest';
import { aRow, aRule, aService, aWorkload } from '../demand/demand.fixture.js';
import type { PlanDocument } from '../demand/documents/plan.js';
import { planHere } from '../plan/plan.fixture.js';
import { describeServices } from './describe-services.js';

const rows = [
  aRow({ batch: 1, throughputRps: 50 }),
  aRow({ batch: 8, throughputRps: 200 }),
  aRow({ profile: '7g.80gb', batch: 8, throughputRps: 1500 }),
];

async function planned(
  parts: Parameters<typeof aWorkload>[0],
): Promise<{ readonly workload: ReturnType<typeof aWorkload>; readonly plan: PlanDocument }> {
  const workload = aWorkload({ rows, ...parts });
  const result = await planHere(workload);
  if (result.kind !== 'plan') throw new Error('infeasible');
  return { workload, plan: result.plan };
}

describe('describeServices', () => {
  it('takes instances, weights and limits from the plan, the largest first, and arrivals from the rule', async () => {
    const latency = aRule({ burstiness: 2, router: 'random', percentile: 95 });
    const { workload, plan } = await planned({ services: [aService({ rateRps: 300, latencyMs: 200, latency })] });
    const [service] = describeServices(workload, plan);
    expect(service).toMatchObject({ name: 's', rateRps: 300, limitMs: 200, percentile: 95, router: 'random' });
    expect(service?.arrivals).toEqual({ kind: 'renewal', burstiness: 2 });
    const instances = plan.gpus.flatMap((gpu) => gpu.instances);
    expect(service?.kinds.reduce((sum, { count }) => sum + count, 0)).toBe(instances.length);
    expect(service?.kinds.map(({ capacityRps }) => capacityRps)).toEqual(
      service?.kinds.map(({ capacityRps }) => capacityRps).toSorted((a, b) => b - a),
    );
    expect(service?.kinds.reduce((sum, { count, weight }) => sum + count * weight, 0)).toBeCloseTo(1, 9);
  });

  it('judges the 99th percentile where the factor rule names none, and leaves out services without a rate', async () => {
    const services = [aService({ latency: { kind: 'factor', factor: 0.45 }, latencyMs: 200 }), aService({ name: 'idle', rateRps: 0 })];
    const { workload, plan } = await planned({ services });
    expect(describeServices(workload, plan)).toMatchObject([{ name: 's', percentile: 99, router: 'round-robin' }]);
  });

  it('plays traffic at its mean rate, in the shape of its trace', async () => {
    const traffic = { meanRps: 100, windowS: 30, rates: [0.5, 1.5] };
    const { workload, plan } = await planned({ services: [aService({ rateRps: 150, traffic, latencyMs: 200 })] });
    const [service] = describeServices(workload, plan);
    expect(service).toMatchObject({ rateRps: 100, arrivals: { kind: 'rates', stepS: 30, burstiness: 1 } });
  });

  it('lets arrivals and router be replaced', async () => {
    const { workload, plan } = await planned({ services: [aService({ latencyMs: 200 })] });
    const arrivals = { kind: 'renewal', burstiness: 4 } as const;
    expect(describeServices(workload, plan, { arrivals, router: 'two-choices' })[0]).toMatchObject({ arrivals, router: 'two-choices' });
  });

  it('refuses a plan of another workload', async () => {
    const { workload, plan } = await planned({ services: [aService({ latencyMs: 200 })] });
    const changed = { ...workload, rows: rows.map((row) => ({ ...row, batch: row.batch + 1 })) };
    expect(() => describeServices(changed, plan)).toThrow(expect.objectContaining({ code: 'PLAN_MISMATCH' }));
  });

  it('gives a service that the plan forgot no instances', async () => {
    const { workload, plan } = await planned({ services: [aService({ latencyMs: 200 })] });
    const more = { ...workload, services: [...workload.services, aService({ name: 'new' })] };
    expect(describeServices(more, plan)[1]).toMatchObject({ name: 'new', kinds: [] });
  });
});
