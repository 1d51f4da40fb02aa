import { findFactorClass } from './factor-class.js';
import type { PlanFacts } from './plan-facts.js';
import { nearly, show } from './tolerance.js';
import type { Violation } from './verify-report.js';

/** The totals are the sums of the plan, and under `max-min` the factor that its services share. */
export function checkTotals(facts: PlanFacts): readonly Violation[] {
  const { plan, pools, placed } = facts;
  const { totals } = plan;
  const cost = plan.gpus.reduce((sum, gpu) => sum + (pools.get(gpu.pool)?.price ?? 0), 0);
  const violations: Violation[] = [];
  const refuse = (where: string, message: string, expected: string, received: string) =>
    violations.push({ where, message, expected, received });

  if (totals.gpus !== plan.gpus.length)
    refuse('totals.gpus', 'The number of GPUs is wrong.', String(plan.gpus.length), String(totals.gpus));
  if (!nearly(totals.cost, cost) && Math.abs(totals.cost - cost) > 1e-9)
    refuse('totals.cost', 'The cost is not the sum of the GPUs’ prices.', show(cost), show(totals.cost));
  if (totals.instances !== placed.length) {
    refuse('totals.instances', 'The number of instances is wrong.', String(placed.length), String(totals.instances));
  }
  const factor = plan.objective === 'max-min' ? findFactorClass(facts).factor : undefined;
  if (factor === undefined ? totals.factor !== undefined : !nearly(totals.factor ?? -1, factor)) {
    refuse('totals.factor', 'The factor is not the smallest of the services that share it.', show(factor), show(totals.factor));
  }
  return violations;
}
