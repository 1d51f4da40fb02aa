import { createSeededRandom } from '../../demand/seeded-random.js';
import type { PlanResult } from '../plan-result.js';
import type { SearchContext } from '../solve-problem.js';
import type { DeployedGpu } from './configurations/deployment.js';
import { deployGreedily } from './greedy.js';
import { compareFitness, crossOver, type Individual, judge, mutate } from './mig-serving/evolve.js';
import type { RefillTools } from './mig-serving/refill.js';
import { letOthersRun } from './pauses.js';
import { type DeploymentTask, planDeployment } from './plan-deployment.js';
import type { PlanRequest } from './strategy.js';
import { type ResolvedOptions, resolveOptions } from './strategy-options.js';

/**
 * MIG-serving's two-phase pipeline (arXiv 2109.11067): the fast algorithm's deployment seeds a genetic algorithm whose
 * crossover erases some GPUs and refills them with a tree search, whose mutation swaps equal instances, and whose selection
 * keeps the best of parents and children, so that it is never worse than greedy. Ends with the bound met, after `rounds` or `nodes`,
 * after `idleRounds` without anything better, or when stopped. Ours, where the text is silent: the sizes of population and
 * erasure; that of two equally dear deployments the one that uses less of its GPUs, at the slice prices, survives; and that
 * free slots are gathered on few GPUs.
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
): Promise<readonly (readonly DeployedGpu[])[]> {
  const seed = await deployGreedily(request, task, options);
  if (seed === undefined) return [];
  const { problem, space, bound, target, prices } = task;
  const tools: RefillTools = {
    cuts: request.cuts,
    problem,
    space,
    options,
    random: createSeededRandom(options.seed),
    sizePrice: prices.size,
    pools: new Map(),
    nodesLeft: options.nodes,
  };
  let population: readonly Individual[] = [judge(tools, seed)];
  let idle = 0;
  const best = (): Individual => population[0] as Individual;
  context.onProgress?.({ bound, best: best().cost, round: 0 });
  const isDone = (): boolean => idle >= options.idleRounds || tools.nodesLeft === 0 || best().cost <= target + 1e-6;
  for (let round = 1; round <= options.rounds && !isDone(); round++) {
    const before = best();
    const children: Individual[] = [];
    for (let n = 0; n < options.population; n++) {
      await letOthersRun();
      if (context.signal?.aborted === true) break;
      const parent = population[n % population.length] as Individual;
      const child = crossOver(tools, mutate(tools, parent.gpus));
      if (child !== undefined) children.push(judge(tools, child));
    }
    // The sort is stable: of equals the younger survives, whose genes are new.
    population = [...children, ...population].sort(compareFitness).slice(0, options.population);
    context.onProgress?.({ bound, best: best().cost, round });
    if (context.signal?.aborted === true) break;
    idle = compareFitness(best(), before) < 0 ? 0 : idle + 1;
  }
  return [best().gpus, seed];
}
