import { createBestThroughput } from './best-throughput.js';
import { boundCheapestCover } from './cheapest-cover.js';
import { findFactorClass } from './factor-class.js';
import type { PlanFacts, ServiceFacts } from './plan-facts.js';
import type { PoolPricing } from './pool-pricing.js';
import { show } from './tolerance.js';
import type { Violation } from './verify-report.js';

/** Room between a stated bound and the recomputed one, relative and absolute. */
const boundTolerance = 1e-6;

/** The stated factor may be attainable; the least above it must not be. */
const justBeyond = 1 + 1e-9;

/** The certificate's prices prove the stated bound, recomputed here from the rows up. */
export function checkBound(facts: PlanFacts, pricing: readonly PoolPricing[]): readonly Violation[] {
  return facts.plan.objective === 'max-min' ? checkFactorBound(facts, pricing) : checkCostBound(facts, pricing);
}

function checkCostBound(facts: PlanFacts, pricing: readonly PoolPricing[]): readonly Violation[] {
  const { plan, services } = facts;
  const { value, gpus } = plan.bound;
  const wanting = services.filter(({ service }) => service.rateRps > 0);
  const priced = createCoverPrice(facts, pricing)(wanting.map(({ service }) => ({ service, rateRps: service.rateRps })));
  const replicas = Math.max(0, ...wanting.map(({ service }) => service.minReplicas));
  const cheapest = plan.objective === 'gpus' ? 1 : Math.min(...facts.workload.pools.map(({ price }) => price));
  const proven = Math.max(0, priced - paidForPools(pricing), replicas * cheapest);
  const violations: Violation[] = [];
  if (value > proven + boundTolerance * (1 + proven)) {
    const message = 'The certificate proves less than the stated bound.';
    violations.push({ where: 'bound.value', message, expected: `at most ${show(proven)}`, received: show(value) });
  }
  if (plan.objective === 'gpus') {
    const rounded = roundUpGpus(value);
    // A value within the tolerance above a whole number must not win a GPU.
    const most = roundUpGpus(proven * (1 + 1e-12) + 1e-9);
    if (gpus !== rounded || gpus > most) {
      const message = 'The proven number of GPUs is not the proven value rounded up.';
      violations.push({ where: 'bound.gpus', message, expected: String(Math.min(rounded, most)), received: show(gpus) });
    }
  } else violations.push(...refuseGpus(gpus));
  return violations;
}

function checkFactorBound(facts: PlanFacts, pricing: readonly PoolPricing[]): readonly Violation[] {
  const { value, gpus } = facts.plan.bound;
  const { cut, before, capped } = findFactorClass(facts);
  if (capped && value >= 1) return refuseGpus(gpus);
  const demand =
    (factor: number) =>
    ({ service }: ServiceFacts) => ({ service, rateRps: factor * service.rateRps });
  const priced = createCoverPrice(facts, pricing)([...before.map(demand(1)), ...cut.map(demand(value * justBeyond))]);
  const held = paidForPools(pricing);
  const violations = [...refuseGpus(gpus)];
  if (!(priced > held * (1 + 1e-12))) {
    const message = `The certificate does not prove that the pools cannot serve more than ${show(value)} of the rates.`;
    violations.push({
      where: 'bound.value',
      message,
      expected: `slices worth more than ${show(held)}, what the pools hold`,
      received: show(priced),
    });
  }
  return violations;
}

/** Sum of the services' cheapest covers at the certificate's prices. */
function createCoverPrice({ workload, rows }: PlanFacts, pricing: readonly PoolPricing[]) {
  const bestThroughput = createBestThroughput(workload, rows);
  return (demands: readonly { readonly service: ServiceFacts['service']; readonly rateRps: number }[]): number =>
    demands.reduce((sum, { service, rateRps }) => {
      if (rateRps === 0) return sum;
      const best = bestThroughput(service, rateRps);
      const sizes = pricing.flatMap(({ prices }, pool) => prices.map((price, profile) => ({ price, rps: best[pool]?.[profile] ?? 0 })));
      return sum + boundCheapestCover(sizes, { rateRps, instances: service.minReplicas });
    }, 0);
}

function paidForPools(pricing: readonly PoolPricing[]): number {
  return pricing.reduce((sum, { paidForPool }) => sum + paidForPool, 0);
}

function refuseGpus(gpus: number | undefined): readonly Violation[] {
  if (gpus === undefined) return [];
  const message = 'A number of GPUs is proven under the objective gpus only.';
  return [{ where: 'bound.gpus', message, expected: 'none', received: show(gpus) }];
}

/** GPUs that a proven value means: rounding in sums of prices must not cost a GPU. */
function roundUpGpus(value: number): number {
  return Math.max(0, Math.ceil(value - 1e-6));
}
