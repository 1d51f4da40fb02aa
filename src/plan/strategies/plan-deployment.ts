import { type BuiltProblem, buildProblem } from '../build-problem.js';
import { findCostUnit, finishPlan } from '../finish-plan.js';
import { describeShortage } from '../infeasible.js';
import { roundUpToUnit } from '../objective-unit.js';
import type { PackingProblem, SlicePrices } from '../packing-problem.js';
import type { PlanResult } from '../plan-result.js';
import { boundNeed, proveBound, type SearchContext } from '../solve-problem.js';
import { cannotApply } from './cannot-apply.js';
import { type ConfigurationSpace, listConfigurationSpace } from './configurations/configuration-space.js';
import type { DeployedGpu } from './configurations/deployment.js';
import { settleDeployment } from './configurations/settle-deployment.js';
import type { PlanRequest } from './strategy.js';

/** What a strategy that builds GPU after GPU works on. */
export interface DeploymentTask {
  readonly built: BuiltProblem;
  readonly problem: PackingProblem;
  readonly space: ConfigurationSpace;
  /** Prices that prove the bound. */
  readonly prices: SlicePrices;
  /** Proven limit on the cost, and the least cost that a plan can have by it. */
  readonly bound: number;
  readonly target: number;
}

/** Services times parts of GPUs that fit in memory as scores: 20 000 services on a pool of five sizes need 760 000. */
const maxScores = 20_000_000;

/**
 * The common frame of the strategies that add GPU to GPU: proves the bound, lets `make` find a deployment (undefined when the
 * pools run out), takes surplus instances away, separates replicas, and writes the plan.
 */
export async function planDeployment(
  request: PlanRequest,
  context: SearchContext,
  strategy: string,
  make: (task: DeploymentTask) => Promise<readonly DeployedGpu[] | undefined>,
): Promise<PlanResult> {
  const { workload, finder, cuts, objective } = request;
  if (objective === 'max-min') return refuseMaxMin(strategy);
  const factors = workload.services.map(() => 1);
  const built = buildProblem(workload, finder, cuts, objective, factors);
  const { problem } = built;
  const { prices, bound, tooMuch } = await proveBound(problem, objective === 'gpus' ? problem.minGpus : 0, context);
  if (tooMuch) return explainShortage(request, problem, context);
  const space = listConfigurationSpace(cuts, problem);
  if (space.parts.length * problem.serviceCount > maxScores) {
    const message = `${problem.serviceCount} services on ${space.parts.length} parts of GPUs are more than it can weigh; offer fewer profiles`;
    return cannotApply(strategy, [{ message, needed: space.parts.length * problem.serviceCount, available: maxScores }]);
  }
  const gpus = await make({ built, problem, space, prices, bound, target: roundUpToUnit(bound, findCostUnit(request)) });
  const available = cuts.reduce((sum, { limit }) => sum + limit, 0);
  if (gpus === undefined) return cannotApply(strategy, [{ message: `it used up the ${available} GPUs of the pools and needs more`, available }]);
  const dealt = settleDeployment(request, problem, gpus);
  if (dealt.crowded.length > 0) {
    return cannotApply(
      strategy,
      dealt.crowded.map((service) => ({
        service: workload.services[service]?.name ?? '',
        message: `it found too few different GPUs for the replicas of ${workload.services[service]?.name}`,
      })),
    );
  }
  const { signal } = context;
  return finishPlan(request, { built, dealt, prices, bound, strategy, ...(signal && { signal }) });
}

/** Strategies that count GPUs know nothing of shares of a rate. */
export function refuseMaxMin(strategy: string): PlanResult {
  return cannotApply(strategy, [{ message: 'it plans for whole rates and cannot share out a fixed fleet (objective max-min)' }]);
}

async function explainShortage(request: PlanRequest, problem: PackingProblem, context: SearchContext): Promise<PlanResult> {
  const bound = await boundNeed(problem, context);
  return { kind: 'infeasible', conflicts: describeShortage(request, bound, { bound: 0 }), bound };
}
