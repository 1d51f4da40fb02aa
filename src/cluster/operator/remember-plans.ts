import { InlayError } from '../../errors.js';
import { hashOf, type MadePlan, type PlanInput, type Planner } from '../decide/make-plan.js';

/**
 * A planner that answers a question it has answered before without planning again. A fault of the planner becomes a conflict that
 * the workloads show, so that one group does not stop the others.
 */
export function rememberPlans(
  planner: Planner,
  options: {
    readonly most: number;
    readonly onPlanned: (group: string, seconds: number) => void;
    readonly onFault: (error: unknown) => void;
  },
): Planner {
  const known = new Map<string, MadePlan>();
  return async (input) => {
    const key = keyOf(input);
    const before = known.get(key);
    if (before !== undefined) return before;
    const startMs = performance.now();
    let made: MadePlan;
    try {
      made = await planner(input);
    } catch (error) {
      options.onFault(error);
      const problems = error instanceof InlayError ? error.problems : [];
      made = {
        kind: 'infeasible',
        conflicts:
          problems.length > 0 ? problems.map(({ code, message }) => ({ code, message })) : [{ code: 'INTERNAL', message: String(error) }],
      };
    }
    options.onPlanned(input.group.name, (performance.now() - startMs) / 1000);
    known.set(key, made);
    for (const oldest of known.keys()) {
      if (known.size <= options.most) break;
      known.delete(oldest);
    }
    return made;
  };
}

function keyOf({ group, state, keep }: PlanInput): string {
  return hashOf({
    state,
    keep,
    workloads: group.workloads.map(({ hash }) => hash),
    pools: group.pools.map(({ pool }) => ({ name: pool.metadata.name, spec: pool.spec })),
  });
}
