import type { PlanResult } from '../plan-result.js';
import type { SearchContext } from '../solve-problem.js';
import type { DeployedGpu } from './configurations/deployment.js';
import { fillGreedily } from './configurations/fill-greedily.js';
import { ServiceNeeds } from './configurations/service-needs.js';
import { pauseAt } from './pauses.js';
import { type DeploymentTask, planDeployment } from './plan-deployment.js';
import type { PlanRequest } from './strategy.js';
import { type ResolvedOptions, resolveOptions } from './strategy-options.js';

/**
 * MIG-serving's fast algorithm (arXiv 2109.11067, the optimizer's heuristic): GPU after GPU, the configuration with the
 * highest Σ need · utility over its services. The paper limits the services on a GPU to two and to more in the last mile, to
 * keep its list of configurations short; we search the list without writing it down and set no limit unless asked
 * (`maxMix`, `lastMix`), and credit a service with no more than it still needs (`capCredit`).
 * docs/design/0002-published-strategies.md has the effect of each.
 */
export async function planGreedily(request: PlanRequest, context: SearchContext): Promise<PlanResult> {
  const options = resolveOptions(request.strategyOptions);
  return planDeployment(request, context, 'greedy', async (task) => {
    const gpus = await deployGreedily(request, task, options);
    return gpus === undefined ? [] : [gpus];
  });
}

/** The greedy deployment of a task; undefined when the pools run out. It always runs to its end, which takes seconds at most. */
export async function deployGreedily(
  { cuts }: PlanRequest,
  { problem, space }: DeploymentTask,
  { maxMix, lastMix, capCredit }: ResolvedOptions,
): Promise<DeployedGpu[] | undefined> {
  return fillGreedily(cuts, new ServiceNeeds(problem, space), {
    mix: maxMix,
    lastMix,
    capCredit,
    onGpu: pauseAt,
  });
}
