import type { PlanResult } from '../plan-result.js';
import type { SearchContext } from '../solve-problem.js';
import type { DeployedGpu } from './configurations/deployment.js';
import { fillGreedily, hasLastMile } from './configurations/fill-greedily.js';
import { ServiceNeeds } from './configurations/service-needs.js';
import { letOthersRun } from './let-others-run.js';
import { type DeploymentTask, planDeployment } from './plan-deployment.js';
import type { PlanRequest } from './strategy.js';
import { type ResolvedOptions, resolveOptions } from './strategy-options.js';

/** GPUs after which other work gets a turn. */
const gpusBetweenPauses = 200;

/**
 * MIG-serving's fast algorithm (arXiv 2109.11067, the optimizer's heuristic): GPU after GPU, the configuration with the
 * highest Σ need · utility over its services. The paper limits the services on a GPU to two and to more in the last mile, to
 * keep its list of configurations short; we search the list without writing it down and set no limit unless asked
 * (`maxMix`, `lastMix`), and credit a service with no more than it still needs (`capCredit`).
 * docs/design/0002-published-strategies.md has the effect of each.
 */
export async function planGreedily(request: PlanRequest, context: SearchContext): Promise<PlanResult> {
  const options = resolveOptions(request.strategyOptions);
  return planDeployment(request, context, 'greedy', (task) => deployGreedily(request, task, options, context));
}

/** The greedy deployment of a task; undefined when the pools run out. It always runs to its end, which takes seconds at most. */
export async function deployGreedily(
  { cuts }: PlanRequest,
  { problem, space, bound }: DeploymentTask,
  { maxMix, lastMix, capCredit }: ResolvedOptions,
  context: SearchContext,
): Promise<DeployedGpu[] | undefined> {
  return fillGreedily(cuts, space, new ServiceNeeds(problem), {
    mix: maxMix,
    lastMix,
    isLastMile: hasLastMile,
    capCredit,
    onGpu: (count) => {
      if (count % gpusBetweenPauses !== 0) return undefined;
      context.onProgress?.({ bound });
      return letOthersRun();
    },
  });
}
