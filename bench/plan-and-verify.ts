import type { PlanDocument } from '../src/demand/documents/plan.js';
import type { Workload } from '../src/demand/workload.js';
import { type PlanOptions, plan } from '../src/plan/plan.js';
import type { InfeasiblePlan } from '../src/plan/plan-result.js';
import { verifyPlan } from '../src/verify/verify-plan.js';
import { timed } from './report.js';

/** A plan that keeps every promise, and how long planning took. */
export interface VerifiedPlan {
  readonly kind: 'plan';
  readonly plan: PlanDocument;
  readonly ms: number;
}

/** Plans and verifies. A plan that does not verify ends the benchmark. */
export async function planAndVerify(workload: Workload, options: PlanOptions): Promise<VerifiedPlan | InfeasiblePlan> {
  const { value: result, ms } = await timed(() => plan(workload, options));
  if (result.kind === 'infeasible') return result;
  const violations = verifyPlan(workload, result.plan).checks.flatMap((check) => check.violations);
  if (violations.length > 0) throw new Error(`${workload.name} does not verify:\n${violations.map(({ message }) => message).join('\n')}`);
  return { ...result, ms };
}

/** As `planAndVerify`, where every workload has a plan. */
export async function planOrFail(workload: Workload, options: PlanOptions): Promise<VerifiedPlan> {
  const found = await planAndVerify(workload, options);
  if (found.kind === 'plan') return found;
  throw new Error(`${workload.name} has no plan: ${found.conflicts.map(({ message }) => message).join(' ')}`);
}
