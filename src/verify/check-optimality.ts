import { countGpus } from '../demand/documents/unfold-plan.js';
import { boundCheapestCover } from './cheapest-cover.js';
import type { PlanFacts } from './plan-facts.js';
import { atMost, nearly, show } from './tolerance.js';
import type { Violation } from './verify-report.js';

/** Share by which the proven factor of `max-min` may exceed the plan's while the plan still counts as the best. */
const factorTolerance = 1e-6;

/** `gap`, `gapGpus`, `optimal` and `stoppedBy` follow from what the plan reaches and what its bound says. */
export function checkOptimality({ plan, workload }: PlanFacts): readonly Violation[] {
  const violations: Violation[] = [];
  const refuse = (where: string, message: string, expected: string, received: string) =>
    violations.push({ where, message, expected, received });

  const gap = gapOf(plan);
  if (Math.abs(plan.gap - gap) > 1e-9) refuse('gap', 'The gap is not the distance from the bound.', show(gap), show(plan.gap));
  const gapGpus = plan.objective === 'gpus' ? countGpus(plan.gpus) - (plan.bound.gpus ?? 0) : undefined;
  if (plan.gapGpus !== gapGpus) {
    refuse('gapGpus', 'The gap in GPUs is not the distance from the bound.', show(gapGpus), show(plan.gapGpus));
  }
  const optimal = isProvenBest(
    plan,
    workload.pools.map(({ price }) => price),
  );
  if (plan.optimal && !optimal) refuse('optimal', 'The plan says it is proven best, yet its bound leaves room.', 'false', 'true');
  if (!plan.optimal && gapGpus === 0) refuse('optimal', 'The plan is proven best, yet says it is not.', 'true', 'false');
  if (plan.stoppedBy === 'proof' && !plan.optimal) {
    refuse('stoppedBy', 'Planning cannot have ended with a proof.', 'time, interrupt or rounds', 'proof');
  }
  return violations;
}

function gapOf({ objective, gpus, totals, bound }: PlanFacts['plan']): number {
  if (objective === 'max-min') return bound.value === 0 ? 0 : Math.max(0, 1 - (totals.factor ?? 0) / bound.value);
  const achieved = objective === 'gpus' ? countGpus(gpus) : totals.cost;
  return achieved === 0 ? 0 : Math.max(0, 1 - bound.value / achieved);
}

/** Whether the bound leaves no room: for costs, whether no sum of GPU prices lies between bound and cost. */
function isProvenBest({ objective, gpus, totals, bound }: PlanFacts['plan'], prices: readonly number[]): boolean {
  switch (objective) {
    case 'gpus':
      return countGpus(gpus) === bound.gpus;
    case 'cost': {
      const cheapestSum = boundCheapestCover(
        prices.map((price) => ({ price, rps: price })),
        { rateRps: bound.value, instances: 0 },
      );
      return atMost(totals.cost, Math.max(bound.value, cheapestSum));
    }
    case 'max-min':
      return nearly(totals.factor ?? 0, bound.value, factorTolerance) || (totals.factor ?? 0) > bound.value;
  }
}
