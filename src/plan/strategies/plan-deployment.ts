import { type BuiltProblem, buildProblem } from '../build-problem.js';
import type { DealtPlan } from '../deal-instances.js';
import { finishPlan } from '../finish-plan.js';
import { describeShortage } from '../infeasible.js';
import { roundUpToSum } from '../objective-unit.js';
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

/**
 * The common frame of the strategies that add GPU to GPU: proves the bound, lets `make` find deployments (none when the pools
 * run out), takes surplus instances away, separates replicas, and writes the cheapest plan that comes of it, the first of equals.
 */
export async function planDeployment(
  request: PlanRequest,
  context: SearchContext,
  strategy: string,
  make: (task: DeploymentTask) => Promise<readonly (readonly DeployedGpu[])[]>,
): Promise<PlanResult> {
  const { workload, finder, cuts, objective } = request;
  if (objective === 'max-min') return refuseMaxMin(strategy);
  const factors = workload.services.map(() => 1);
  const built = buildProblem(workload, finder, cuts, objective, factors);
  const { problem } = built;
  const { prices, bound, tooMuch } = await proveBound(problem, context);
  if (tooMuch) return explainShortage(request, problem, context);
  const space = listConfigurationSpace(cuts, problem);
  if (space === undefined)
    return cannotApply(strategy, [{ message: 'so many services and profiles are more than it can weigh; offer fewer profiles' }]);
  const costs = problem.pools.map((pool) => pool.cost);
  const deployments = await make({ built, problem, space, prices, bound, target: roundUpToSum(bound, costs) });
  const costOf = ({ gpus }: DealtPlan): number => gpus.reduce((sum, { cut }) => sum + (problem.pools[cuts[cut]?.pool ?? 0]?.cost ?? 0), 0);
  const settled = deployments.map((gpus) => settleDeployment(request, problem, gpus));
  const [best] = settled.sort((a, b) => a.crowded.length - b.crowded.length || costOf(a) - costOf(b));
  if (best === undefined || best.crowded.length > 0) return explainFailure(request, strategy, best?.crowded ?? []);
  const { signal } = context;
  return finishPlan(request, { built, dealt: best, prices, bound, strategy, ...(signal && { signal }) });
}

function explainFailure({ workload }: PlanRequest, strategy: string, crowded: readonly number[]): PlanResult {
  if (crowded.length === 0) {
    return cannotApply(strategy, [{ message: 'used up the GPUs of the pools that the services can use, and needs more' }]);
  }
  const names = crowded.map((service) => workload.services[service]?.name ?? '');
  return cannotApply(
    strategy,
    names.map((service) => ({ service, message: `found too few different GPUs for the replicas of ${service}` })),
  );
}

/** Strategies that count GPUs know nothing of shares of a rate. */
export function refuseMaxMin(strategy: string): PlanResult {
  return cannotApply(strategy, [{ message: 'plans for whole rates and cannot share out a fixed fleet (objective max-min)' }]);
}

/** The answer when it is proven that the pools are too small, whatever the strategy. */
export async function explainShortage(request: PlanRequest, problem: PackingProblem, context: SearchContext): Promise<PlanResult> {
  const bound = await boundNeed(problem, context);
  return { kind: 'infeasible', conflicts: describeShortage(request, bound, { bound: 0 }), bound };
}
