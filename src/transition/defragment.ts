import type { StateDocument } from '../demand/documents/state.js';
import { defaultStepDurations } from '../demand/documents/transition.js';
import { describeSize } from '../demand/list-sizes.js';
import { createPointFinder } from '../demand/operating-points.js';
import type { Workload } from '../demand/workload.js';
import { buildProblem } from '../plan/build-problem.js';
import { findHeldGpus } from '../plan/held-gpus.js';
import { listCuts } from '../plan/list-cuts.js';
import { bindTarget } from './bind-target.js';
import { buildTargetProblem } from './build-target-problem.js';
import { findOrder } from './find-order.js';
import { readFleet } from './fleet.js';
import { buildMoveProblem } from './move-problem.js';
import { solveAim } from './search-target.js';
import { listSeeds } from './seed-plans.js';
import type { ServiceItems, TargetProblem } from './target-problem.js';
import type { TransitionOptions, TransitionResult } from './transition.js';
import { writeTransition } from './write-transition.js';

/** How much may be moved. */
export interface DefragmentOptions extends Omit<TransitionOptions, 'plan' | 'above' | 'objective' | 'method'> {
  /** Pods that may start elsewhere at most. */
  readonly maxMoves: number;
}

const maxNodes = 500;

/**
 * Moves at most so many pods so that the slices left free are worth the most: a free instance counts as compute × memory
 * slices, so that one large one is worth more than its parts, and an empty GPU the most. Every pod keeps its kind; `workload`
 * says what the services need and which rows they may run.
 */
export async function defragment(state: StateDocument, workload: Workload, options: DefragmentOptions): Promise<TransitionResult> {
  const { backend = 'instance', floor = 'raw', maxMoves, maxExtraGpus = 0, solver } = options;
  const durations = { ...defaultStepDurations, ...options.durations };
  const finder = createPointFinder(workload);
  const cuts = listCuts(workload, finder.index.sizes, findHeldGpus(workload, state));
  const built = buildProblem(
    workload,
    finder,
    cuts,
    'gpus',
    workload.services.map(() => 1),
  );
  const fleet = readFleet(state, workload, finder);
  const free = buildTargetProblem({ workload, finder, cuts, objective: 'gpus', deal: 'together' }, built, fleet, backend);
  const problem: TargetProblem = { ...free, services: free.services.map((service) => service && keepKinds(service)) };
  const worth = Float64Array.from(finder.index.sizes, (size) => {
    const { profile } = describeSize(workload, size);
    return profile.computeSlices * profile.memorySlices;
  });
  const nothing = { instances: new Int32Array(0), gpus: [], cost: 0, excess: 0 };
  const { counts } = await solveAim(
    problem,
    Infinity,
    listSeeds(problem, nothing),
    { kind: 'room', podStarts: maxMoves, worth },
    { maxNodes },
    solver,
  );
  const context = { ...options, workload, backend, floor, durations };
  const target = counts && bindTarget(problem, counts);
  const move = target && buildMoveProblem(problem, target, workload, { backend, floor, extra: maxExtraGpus });
  const { order } = move === undefined ? {} : await findOrder(move, context);
  if (order === undefined) {
    const message = `no order of steps was found for ${maxMoves} moves within ${maxExtraGpus} extra GPUs`;
    return { kind: 'infeasible', conflicts: [{ code: 'FLOOR_CANNOT_BE_KEPT', message, available: maxExtraGpus }] };
  }
  const transition = writeTransition({ state, workload, fleet, backend, floor, durations, ...order, maxExtraGpus, bounds: {} });
  return { kind: 'transition', transition };
}

/** Every pod that runs is wanted in its kind, at its place or at another. */
function keepKinds({ items, demand, minCount }: ServiceItems): ServiceItems {
  const kept = items.filter(({ type }) => type >= 0);
  const fresh = kept.map((item) => ({ ...item, type: -1, limit: Infinity }));
  return {
    items: [...kept, ...fresh],
    demand,
    minCount,
    fixed: kept.map(({ limit }, j) => ({ newItem: kept.length + j, keptItem: j, count: limit })),
  };
}
