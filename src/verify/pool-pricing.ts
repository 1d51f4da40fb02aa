import type { Pool } from '../demand/workload.js';
import { findDearestLayout } from './dearest-layout.js';
import { countHeld } from './held-gpus.js';
import type { PlanFacts } from './plan-facts.js';

/** A pool with the certificate's prices. */
export interface PoolPricing {
  readonly pool: Pool;
  /** What a GPU costs in the objective, plus its pool price: no layout may be worth more. */
  readonly allowance: number;
  /** What the dearest legal layout is worth. */
  readonly dearest: number;
  /** Price of an instance of each of the pool's profiles, 0 where none is stated; lowered where a layout would be worth more than allowed. */
  readonly prices: readonly number[];
  /** Pool price times the GPUs that may be used; Infinity for a price on a pool without limit. */
  readonly paidForPool: number;
}

/** Prices every pool by the plan's certificate. */
export function pricePools({ workload, plan, current }: PlanFacts): readonly PoolPricing[] {
  const slicePrices = new Map(Object.entries(plan.bound.certificate.slicePrices));
  const poolPrices = new Map(Object.entries(plan.bound.certificate.poolPrices));
  return workload.pools.map((pool) => {
    const poolPrice = poolPrices.get(pool.name) ?? 0;
    const named = new Map(Object.entries(slicePrices.get(pool.name) ?? {}));
    const priced = pool.profiles.map((profile) => ({ profile, price: named.get(profile.name) ?? 0 }));
    const allowance = ownPrice(plan.objective, pool) + poolPrice;
    const dearest = findDearestLayout(pool.gpu, priced, pool);
    const scale = dearest > allowance ? allowance / dearest : 1;
    return {
      pool,
      allowance,
      dearest,
      prices: priced.map(({ price }) => price * scale),
      paidForPool: poolPrice === 0 ? 0 : poolPrice * Math.max(pool.count - countHeld(pool, current).whole, 0),
    };
  });
}

function ownPrice(objective: PlanFacts['plan']['objective'], pool: Pool): number {
  switch (objective) {
    case 'gpus':
      return 1;
    case 'cost':
      return pool.price;
    case 'max-min':
      return 0;
  }
}
