import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planId } from '../demand/documents/canonical.js';
import type { PlanDocument, PlanGpu } from '../demand/documents/plan.js';
import { unfoldPlan } from '../demand/documents/unfold-plan.js';
import type { Workload } from '../demand/workload.js';
import { verifyPlan } from '../verify/verify-plan.js';
import { foldFrom } from './deal-in-bulk.js';
import { aSmallPool, planHere, workloads } from './plan.fixture.js';

/** Random workloads of which the first service wants at least so many instances, and the others may be tiny. */
const large = (instances: number): fc.Arbitrary<Workload> =>
  fc
    .tuple(
      workloads({ services: 4, pools: [aSmallPool()], most: 4, maxReplicas: 3 }),
      fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    )
    .map(([workload, grown]) => {
      const fastest = Math.max(...workload.rows.filter(({ model }) => model === 'm0').map(({ throughputRps }) => throughputRps));
      const scale = Math.ceil((instances * fastest) / Math.max(1, workload.services[0]?.rateRps ?? 1));
      const services = workload.services.map((service, i) =>
        i === 0 || grown[i - 1] === true ? { ...service, rateRps: service.rateRps * scale } : service,
      );
      return { ...workload, services };
    });

async function planLarge(workload: Workload): Promise<PlanDocument> {
  const result = await planHere(workload);
  if (result.kind !== 'plan') throw new Error(JSON.stringify(result.conflicts));
  return result.plan;
}

function brokenChecks(workload: Workload, plan: PlanDocument): string[] {
  const { id: _, ...metadata } = plan.metadata;
  const renamed = { ...plan, metadata: { ...metadata, id: planId({ ...plan, metadata } as PlanDocument) } };
  return verifyPlan(workload, renamed).checks.flatMap(({ name, violations }) => (violations.length > 0 ? [name] : []));
}

describe('plans of hundreds of thousands of GPUs', () => {
  test('keep every promise, close to the bound, in a few entries', async () => {
    await fc.assert(
      fc.asyncProperty(large(2e6), async (workload) => {
        const plan = await planLarge(workload);
        expect(brokenChecks(workload, plan)).toEqual([]);
        expect(plan.totals.instances).toBeGreaterThan(foldFrom);
        expect(plan.gapGpus).toBeLessThanOrEqual(3);
        expect(plan.gpus.length).toBeLessThan(100);
      }),
      { seed: 21, numRuns: 40 },
    );
  });

  test('give what they say when every GPU is written out', async () => {
    const alone = large(foldFrom + 1).filter(({ services }) => services.slice(1).every(({ rateRps }) => rateRps < 1e5));
    const [workload] = fc.sample(alone, { seed: 4, numRuns: 1 }) as [Workload];
    const plan = await planLarge(workload);
    const unfolded = unfoldPlan(plan);
    expect(plan.gpus.length).toBeLessThan(100);
    expect(new Set(unfolded.gpus.map(({ id }) => id)).size).toBe(plan.totals.gpus);
    const capacity = new Map<string, number>();
    for (const { instances } of unfolded.gpus) {
      for (const { service, capacityRps } of instances) capacity.set(service, (capacity.get(service) ?? 0) + capacityRps);
    }
    for (const { name, capacityRps } of plan.services) expect((capacity.get(name) ?? 0) / capacityRps).toBeCloseTo(1, 6);
  });

  test.each<[string, (gpu: PlanGpu & { count: number }, others: readonly PlanGpu[]) => PlanGpu]>([
    ['count one GPU more', (gpu) => ({ ...gpu, count: gpu.count + 1 })],
    ['count one GPU less', (gpu) => ({ ...gpu, count: gpu.count - 1 })],
    ['forget the count', ({ count: _, ...gpu }) => gpu],
    ['number two entries alike', (gpu, [other]) => ({ ...gpu, id: other?.id ?? '' })],
    ['let one entry count into another', (gpu) => ({ ...gpu, id: gpu.id.replace(/\d(?=\d{4}$)/, '1') })],
  ])('are refused when they %s', async (_, change) => {
    const [workload] = fc.sample(large(2e6), { seed: 5, numRuns: 1 }) as [Workload];
    const plan = await planLarge(workload);
    const at = plan.gpus.findIndex(({ count = 1 }) => count > 10_000);
    const { count, ...gpu } = plan.gpus[at] as PlanGpu;
    const others = plan.gpus.toSpliced(at, 1);
    expect(others.length).toBeGreaterThan(0);
    const changed = plan.gpus.with(at, change({ ...gpu, count: count as number }, others));
    expect(changed).not.toEqual(plan.gpus);
    expect(brokenChecks(workload, { ...plan, gpus: changed })).not.toEqual([]);
  });
});
