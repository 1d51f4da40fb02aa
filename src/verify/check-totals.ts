import { countGpus } from '../demand/documents/unfold-plan.js';
import { checkChange } from './check-change.js';
import { findFactorClass } from './factor-class.js';
import { type PlanFacts, sumOver } from './plan-facts.js';
import { nearly, show } from './tolerance.js';
import type { Violation } from './verify-report.js';

/** The totals and the changes are the sums of the plan, and under `max-min` the factor that its services share. */
export function checkTotals(facts: PlanFacts): readonly Violation[] {
  const { plan, pools, placed } = facts;
  const { totals } = plan;
  const cost = plan.gpus.reduce((sum, { pool, count = 1 }) => sum + count * (pools.get(pool)?.price ?? 0), 0);
  const violations: Violation[] = [];
  const refuse = (where: string, message: string, expected: string, received: string) =>
    violations.push({ where, message, expected, received });

  const gpus = countGpus(plan.gpus);
  if (totals.gpus !== gpus) refuse('totals.gpus', 'The number of GPUs is wrong.', String(gpus), String(totals.gpus));
  if (!nearly(totals.cost, cost) && Math.abs(totals.cost - cost) > 1e-9)
    refuse('totals.cost', 'The cost is not the sum of the GPUs’ prices.', show(cost), show(totals.cost));
  const instances = sumOver(placed, () => 1);
  if (totals.instances !== instances) {
    refuse('totals.instances', 'The number of instances is wrong.', String(instances), String(totals.instances));
  }
  const factor = plan.objective === 'max-min' ? findFactorClass(facts).factor : undefined;
  if (factor === undefined ? totals.factor !== undefined : !nearly(totals.factor ?? -1, factor)) {
    refuse('totals.factor', 'The factor is not the smallest of the services that share it.', show(factor), show(totals.factor));
  }
  return [...violations, ...checkChange(facts)];
}
