import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlanDocument } from '../demand/documents/plan.js';
import type { Workload } from '../demand/workload.js';
import { verifyPlan } from '../verify/verify-plan.js';
import { aSmallPool, planHere, workloads } from './plan.fixture.js';

async function planned(workload: Workload, options: Parameters<typeof planHere>[1]): Promise<PlanDocument | undefined> {
  const result = await planHere(workload, options);
  return result.kind === 'plan' ? result.plan : undefined;
}

/** Load of the fullest service. */
function fullest({ services }: PlanDocument): number {
  return Math.max(...services.filter(({ rateRps }) => rateRps > 0).map(({ rateRps, plannedCapacityRps }) => rateRps / plannedCapacityRps));
}

describe('spare capacity that is spread', () => {
  it('costs no GPU, never fills the fullest service more, and keeps every promise', async () => {
    let eased = 0;
    await fc.assert(
      fc.asyncProperty(workloads({ services: 5, pools: [aSmallPool()], most: 2, maxReplicas: 2 }), async (workload) => {
        const plain = await planned(workload, {});
        const spread = await planned(workload, { spare: 'spread' });
        if (plain === undefined || spread === undefined) throw new Error('infeasible');
        expect(spread.totals.gpus).toBe(plain.totals.gpus);
        expect(fullest(spread)).toBeLessThanOrEqual(fullest(plain) * (1 + 1e-9));
        expect(verifyPlan(workload, spread).checks.filter(({ ok }) => !ok)).toEqual([]);
        if (fullest(spread) < fullest(plain) - 0.01) eased += 1;
      }),
      { seed: 21, numRuns: 15 },
    );
    expect(eased).toBeGreaterThan(2);
  });

  it('is as even as the largest factor that the same fleet can serve', async () => {
    await fc.assert(
      fc.asyncProperty(workloads({ services: 5, pools: [aSmallPool()], most: 3 }), async (workload) => {
        const spread = await planned(workload, { spare: 'spread' });
        if (spread === undefined) throw new Error('infeasible');
        // Under the factor rule what a slice carries does not depend on the rate, so max-min on the fleet is the same question.
        const fleet = { ...workload, pools: [aSmallPool({ count: spread.totals.gpus })] };
        const best = await planned(fleet, { objective: 'max-min' });
        expect(1 / fullest(spread)).toBeGreaterThanOrEqual(Math.min(16, best?.totals.factor ?? 0) * 0.998);
      }),
      { seed: 22, numRuns: 15 },
    );
  });

  it('is refused where there is none or the strategy has its own idea', async () => {
    const [workload] = fc.sample(workloads({ services: 2, pools: [aSmallPool({ count: 50 })], most: 1 }), { seed: 1, numRuns: 1 });
    await expect(planHere(workload as Workload, { spare: 'spread', strategy: 'greedy' })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(planHere(workload as Workload, { spare: 'spread', objective: 'max-min' })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('comes on top of headroom, which a plan then has', async () => {
    const [workload] = fc.sample(workloads({ services: 3, pools: [aSmallPool()], most: 2 }), { seed: 2, numRuns: 1 }) as [Workload];
    const headroom = new Map([[workload.services[0]?.name ?? '', 2.5]]);
    const plan = await planned(workload, { headroom });
    const [first] = plan?.services ?? [];
    expect(first?.plannedCapacityRps).toBeGreaterThanOrEqual(2.5 * (first?.rateRps ?? 0));
    expect(verifyPlan(workload, plan as PlanDocument).kind).toBe('holds');
  });
});
