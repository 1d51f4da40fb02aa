import { toProvenBound } from '../demand/documents/proven-bound.js';
import type { Backend, StepDurations, TransitionBounds } from '../demand/documents/transition.js';
import { countNewPods } from './bind-target.js';
import type { ChosenTarget } from './choose-target.js';
import { countChanges } from './count-changes.js';
import type { BestOrder } from './find-best-order.js';
import { type OrderContext, spanOfWaves } from './find-order.js';
import type { MoveProblem } from './move-problem.js';
import { boundTouched } from './search-target.js';
import { countCreations, countTouched } from './target-counts.js';

/** What a transition achieves beside what is proven, in the order of the aims. */
export async function listBounds(
  { request, least, found, problem, built, budget }: ChosenTarget,
  { counts, target, move, order, leastWaves }: BestOrder,
  { durations, backend, solver }: Pick<OrderContext, 'durations' | 'backend' | 'solver'>,
): Promise<TransitionBounds> {
  const cost = target.gpus.reduce((sum, { pool }) => sum + (built.problem.pools[pool]?.cost ?? 0), 0);
  const makespanS = order?.timed.makespanS ?? 0;
  const creations = countCreations(problem, counts);
  const leastTouched = await boundTouched(problem, budget, found, creations, solver);
  // Content for an empty GPU may come to one that was given up and is cut alike in part: then less is made than was counted.
  const done = order === undefined ? undefined : countChanges(order.draft, problem.fleet);
  const atMost = (counted: number, made: number | undefined): number => Math.min(counted, made ?? counted);
  return {
    [request.objective === 'cost' ? 'cost' : 'gpus']: toProvenBound(cost, least),
    podStarts: toProvenBound(countNewPods(target), found.podStarts.limit),
    instanceCreations: toProvenBound(atMost(creations, done?.instanceCreations), found.creations.limit),
    gpusTouched: toProvenBound(atMost(countTouched(problem, counts), done?.gpusTouched), leastTouched),
    makespanS: toProvenBound(makespanS, leastMakespanS(move, leastWaves, durations, backend)),
  };
}

/** The waves with the stops between them, after the least time until any pod can start. */
function leastMakespanS(move: MoveProblem, leastWaves: number, durations: StepDurations, backend: Backend): number {
  if (leastWaves === 0) return move.leaving.length === 0 ? 0 : durations['stop-pod'];
  const make = durations[backend === 'instance' ? 'create-instance' : 'wipe-gpu'];
  const delays = move.slots.map(({ present, blockers, content }) => {
    if (move.contents[content]?.isFixed !== true) return present === undefined || move.headroom > 0 ? make : 0;
    if (present === undefined) return make + (blockers.length > 0 ? durations['stop-pod'] : 0);
    return blockers.length > 0 ? durations['stop-pod'] : 0;
  });
  // Pods that run only for a while may start elsewhere; in a single wave they are of no use.
  if (leastWaves > 1 && move.headroom > 0) delays.push(make);
  return Math.min(...delays) + spanOfWaves(leastWaves, durations);
}
