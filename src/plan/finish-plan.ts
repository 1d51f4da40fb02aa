import type { BuiltProblem } from './build-problem.js';
import type { DealtPlan } from './deal-instances.js';
import { listTakenIds } from './held-gpus.js';
import { roundUpToSum } from './objective-unit.js';
import type { SlicePrices } from './packing-problem.js';
import type { PlanResult } from './plan-result.js';
import { stopReason } from './stop-reason.js';
import type { PlanRequest } from './strategies/strategy.js';
import { writePlan } from './write-plan.js';

/** A plan to be written down, and what is proven about it. Not for `max-min`, whose bound is a factor. */
export interface FinishedPlan {
  readonly built: BuiltProblem;
  readonly dealt: DealtPlan;
  readonly prices: SlicePrices;
  /** Proven lower limit in the objective's unit. */
  readonly bound: number;
  readonly strategy: string;
  readonly signal?: AbortSignal;
}

/** Writes a plan for the objectives `gpus` and `cost`; it is called optimal when no cost lies between the bound and its own. */
export function finishPlan(request: PlanRequest, plan: FinishedPlan): PlanResult {
  const { workload, finder, cuts, objective } = request;
  const { built, dealt, prices, bound, strategy } = plan;
  const cost = dealt.gpus.reduce((sum, { cut, count = 1 }) => sum + count * (built.problem.pools[cuts[cut]?.pool ?? 0]?.cost ?? 0), 0);
  const costs = built.problem.pools.map((pool) => pool.cost);
  const optimal = cost <= roundUpToSum(bound, costs) * (1 + 1e-9) + 1e-9;
  const document = writePlan({
    workload,
    finder,
    built,
    cuts,
    gpus: dealt.gpus,
    takenIds: listTakenIds(request.current),
    objective,
    strategy,
    prices,
    bound,
    factors: workload.services.map(() => 1),
    optimal,
    stoppedBy: optimal ? 'proof' : stopReason(plan.signal),
  });
  return { kind: 'plan', plan: document };
}
