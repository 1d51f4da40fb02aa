import { createSeededRandom } from '../../demand/seeded-random.js';
import type { PlanResult } from '../plan-result.js';
import type { SearchContext } from '../solve-problem.js';
import type { DeployedGpu } from './configurations/deployment.js';
import { deployGreedily } from './greedy.js';
import { letOthersRun } from './let-others-run.js';
import { crossOver, type Individual, isFitter, judge, mutate } from './mig-serving/evolve.js';
import type { RefillTools } from './mig-serving/refill.js';
import { type DeploymentTask, planDeployment } from './plan-deployment.js';
import type { PlanRequest } from './strategy.js';
import { type ResolvedOptions, resolveOptions } from './strategy-options.js';

/**
 * MIG-serving's two-phase pipeline (arXiv 2109.11067): the fast algorithm's deployment seeds a genetic algorithm whose
 * crossover erases some GPUs and refills them with a tree search, whose mutation swaps equal instances, and whose selection
 * keeps the best of parents and children, so that it is never worse than greedy. Ends with the bound met, after `rounds`,
 * after `idleRounds` without a saving, or when stopped. Ours, where the text is silent: sizes of population and erasure, and
 * that of two equally dear deployments the one with less on its GPUs survives.
 */
export async function planByMigServing(request: PlanRequest, context: SearchContext): Promise<PlanResult> {
  const options = resolveOptions(request.strategyOptions);
  return planDeployment(request, context, 'mig-serving', (task) => deployByEvolution(request, task, options, context));
}

async function deployByEvolution(
  request: PlanRequest,
  task: DeploymentTask,
  options: ResolvedOptions,
  context: SearchContext,
): Promise<readonly DeployedGpu[] | undefined> {
  const seed = await deployGreedily(request, task, options, context);
  if (seed === undefined) return undefined;
  const { problem, space, bound, target, prices } = task;
  const tools: RefillTools = { cuts: request.cuts, problem, space, options, random: createSeededRandom(options.seed), pools: new Map() };
  let population: readonly Individual[] = [judge(tools, prices.size, seed)];
  let idle = 0;
  const best = (): Individual => population[0] as Individual;
  context.onProgress?.({ bound, best: best().cost, round: 0 });
  for (let round = 1; round <= options.rounds && idle < options.idleRounds && best().cost > target + 1e-6; round++) {
    const before = best().cost;
    const children: Individual[] = [];
    for (let n = 0; n < options.population; n++) {
      await letOthersRun();
      if (context.signal?.aborted === true) break;
      const parent = population[n % population.length] as Individual;
      const child = crossOver(tools, mutate(tools, parent.gpus));
      if (child !== undefined) children.push(judge(tools, prices.size, child));
    }
    population = select([...children, ...population], options.population);
    context.onProgress?.({ bound, best: best().cost, round });
    if (context.signal?.aborted === true) break;
    idle = best().cost < before - 1e-9 ? 0 : idle + 1;
  }
  return best().gpus;
}

/** The fittest; of equals the younger, whose genes are new. */
function select(candidates: readonly Individual[], count: number): readonly Individual[] {
  return [...candidates].sort((a, b) => Number(isFitter(b, a)) - Number(isFitter(a, b))).slice(0, count);
}
