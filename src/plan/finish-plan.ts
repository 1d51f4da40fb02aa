import type { BuiltProblem } from './build-problem.js';
import type { DealtPlan } from './deal-instances.js';
import { listTakenIds } from './held-gpus.js';
import { findPriceUnit, roundUpToUnit } from './objective-unit.js';
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

/** The number of which every cost of a plan is a multiple: 1 GPU, or the unit of the prices (0 when there is none). */
export function findCostUnit({ objective, workload }: PlanRequest): number {
  return objective === 'cost' ? findPriceUnit(workload.pools.map(({ price }) => price)) : 1;
}

/** Writes a plan for the objectives `gpus` and `cost`; it is called optimal when no cost lies between the bound and its own. */
export function finishPlan(request: PlanRequest, plan: FinishedPlan): PlanResult {
  const { workload, finder, cuts, objective } = request;
  const { built, dealt, prices, bound, strategy } = plan;
  const cost = dealt.gpus.reduce((sum, { cut }) => sum + (built.problem.pools[cuts[cut]?.pool ?? 0]?.cost ?? 0), 0);
  const optimal = cost <= roundUpToUnit(bound, findCostUnit(request)) * (1 + 1e-9) + 1e-9;
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
