import type { Backend, StepDurations, TransitionBounds } from '../demand/documents/transition.js';
import type { ChosenTarget } from './choose-target.js';
import type { BestOrder } from './find-best-order.js';
import { spanOfWaves } from './find-order.js';
import type { MoveProblem } from './move-problem.js';
import type { Proven } from './search-target.js';
import { countCreations, countTouched } from './target-counts.js';

/** What a transition achieves beside what is proven, in the order of the aims. */
export function listBounds(
  { request, least, found, problem, built }: ChosenTarget,
  { counts, target, move, order, leastWaves }: BestOrder,
  durations: StepDurations,
  backend: Backend,
): TransitionBounds {
  const cost = target.gpus.reduce((sum, { pool }) => sum + (built.problem.pools[pool]?.cost ?? 0), 0);
  const makespanS = order?.timed.makespanS ?? 0;
  return {
    [request.objective === 'cost' ? 'cost' : 'gpus']: toBound({ achieved: cost, limit: least }),
    podStarts: toBound(found.podStarts),
    instanceCreations: toBound({ achieved: countCreations(problem, counts), limit: found.creations.limit }),
    gpusTouched: toBound({ achieved: countTouched(problem, counts), limit: found.touched.limit }),
    makespanS: toBound({ achieved: makespanS, limit: leastMakespanS(move, leastWaves, durations, backend) }),
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

function toBound({ achieved, limit }: Proven): { achieved: number; limit: number; gap: number } {
  const proven = Math.min(achieved, limit);
  return { achieved, limit: proven, gap: achieved - proven };
}
