import { type Problem, problem } from '../errors.js';
import type { PlanDocument } from './documents/plan.js';
import { showNumber } from './show-number.js';
import type { Workload } from './workload.js';

/** What keeps a plan from being the target for a workload: services that one of them lacks, or that the plan serves at another rate. */
export function checkPlanTarget(plan: PlanDocument, workload: Workload): readonly Problem[] {
  const rates = new Map(workload.services.map(({ name, rateRps }) => [name, rateRps]));
  const known = new Set(plan.services.map(({ name }) => name));
  const strangers = plan.services.flatMap(({ name, rateRps }, index): readonly Problem[] => {
    const wanted = rates.get(name);
    if (wanted === rateRps) return [];
    const path = wanted === undefined ? `services[${index}].name` : `services[${index}].rateRps`;
    const message =
      wanted === undefined
        ? `The plan serves ${name}, which the workload does not list.`
        : `The plan serves ${name} at another rate than the workload wants.`;
    const [expected, received] =
      wanted === undefined ? ['a service of the workload', name] : [`${showNumber(wanted)} rps`, `${showNumber(rateRps)} rps`];
    return [problem('PLAN_MISMATCH', { message, path, expected, received })];
  });
  const missing = workload.services.flatMap(({ name }): readonly Problem[] =>
    known.has(name)
      ? []
      : [
          problem('PLAN_MISMATCH', {
            message: `The plan does not serve ${name}.`,
            path: 'services',
            expected: name,
            received: 'not listed',
          }),
        ],
  );
  return [...strangers, ...missing];
}
