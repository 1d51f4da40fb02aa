import type { PlanFacts } from './plan-facts.js';
import type { PoolPricing } from './pool-pricing.js';
import { atMost, show } from './tolerance.js';
import type { Violation } from './verify-report.js';

/** The certificate's prices name only what exists, and no layout of a pool is worth more than its GPU costs. */
export function checkCertificate({ plan, pools }: PlanFacts, pricing: readonly PoolPricing[]): readonly Violation[] {
  const { slicePrices, poolPrices } = plan.bound.certificate;
  const violations: Violation[] = [];
  const refuse = (where: string, message: string, expected: string, received: string) =>
    violations.push({ where, message, expected, received });

  for (const [name, prices] of Object.entries(slicePrices)) {
    const pool = pools.get(name);
    const known = pool?.profiles.map((profile) => profile.name) ?? [];
    if (pool === undefined)
      refuse(name, `The certificate prices a pool ${name} that the workload lacks.`, [...pools.keys()].join(', '), name);
    else {
      for (const profile of Object.keys(prices).filter((profile) => !known.includes(profile))) {
        refuse(`${name} ${profile}`, `The certificate prices ${profile}, which pool ${name} does not offer.`, known.join(', '), profile);
      }
    }
  }
  for (const [name, price] of Object.entries(poolPrices)) {
    const pool = pools.get(name);
    if (pool === undefined)
      refuse(name, `The certificate prices a pool ${name} that the workload lacks.`, [...pools.keys()].join(', '), name);
    else if (price > 0 && pool.count === Number.POSITIVE_INFINITY) {
      refuse(name, `Pool ${name} has no limit, so a price for using it up proves nothing.`, '0', show(price));
    }
  }
  for (const { pool, allowance, dearest } of pricing) {
    if (atMost(dearest, allowance)) continue;
    refuse(pool.name, `A layout of pool ${pool.name} is worth more than its GPU costs.`, `at most ${show(allowance)}`, show(dearest));
  }
  return violations;
}
