import type { StateDocument } from '../demand/documents/state.js';
import { type Backend, defaultStepDurations } from '../demand/documents/transition.js';
import { describeSize } from '../demand/list-sizes.js';
import { createPointFinder, type PointFinder } from '../demand/operating-points.js';
import { showNumber } from '../demand/show-number.js';
import type { Workload } from '../demand/workload.js';
import { InlayError, type Problem, problem } from '../errors.js';
import { buildProblem } from '../plan/build-problem.js';
import { findHeldGpus } from '../plan/held-gpus.js';
import { listCuts } from '../plan/list-cuts.js';
import { bindTarget } from './bind-target.js';
import { buildTargetProblem } from './build-target-problem.js';
import { findOrder } from './find-order.js';
import { type Fleet, readFleet } from './fleet.js';
import { buildMoveProblem } from './move-problem.js';
import { solveAim } from './search-target.js';
import { listSeeds } from './seed-plans.js';
import { spareGpus } from './spare-gpus.js';
import { countPodStarts } from './target-counts.js';
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
 * is what they serve. Where no order of steps keeps the floors, fewer are moved. Throws InlayError STATE_OF_OTHER_DEMAND
 * where the pods that run are not those of the workload.
 */
export async function defragment(state: StateDocument, workload: Workload, options: DefragmentOptions): Promise<TransitionResult> {
  const { backend = 'instance', floor = 'raw', solver } = options;
  const durations = { ...defaultStepDurations, ...options.durations };
  const finder = createPointFinder(workload);
  const fleet = readFleet(state, workload, finder);
  refuseOtherDemand(state, fleet, workload);
  const room = buildRoomProblem(state, workload, finder, fleet, backend);
  const maxExtraGpus = options.maxExtraGpus ?? spareGpus(room, workload);
  const worth = Float64Array.from(finder.index.sizes, (size) => {
    const { profile } = describeSize(workload, size);
    return profile.computeSlices * profile.memorySlices;
  });
  const context = { ...options, workload, backend, floor, durations };
  const seeds = listSeeds(room, { instances: new Int32Array(0), gpus: [], cost: 0, excess: 0 });
  let moves = options.maxMoves;
  while (moves >= 0 && options.signal?.aborted !== true) {
    const { counts } = await solveAim(
      room,
      Infinity,
      { plans: seeds, open: new Set() },
      { kind: 'room', podStarts: moves, worth },
      { maxNodes },
      solver,
    );
    if (counts === undefined) break;
    const target = bindTarget(room, counts);
    const move = buildMoveProblem(room, target, workload, { backend, floor, extra: maxExtraGpus, deletesVacated: true });
    const { order } = await findOrder(move, context);
    if (order !== undefined) {
      const facts = { state, workload, fleet, backend, floor, durations, ...order, maxExtraGpus, bounds: {} };
      return { kind: 'transition', transition: writeTransition(facts) };
    }
    moves = Math.min(moves, countPodStarts(room, counts)) - 1;
  }
  const message = 'no order of steps was found for any move that makes room';
  return { kind: 'infeasible', conflicts: [{ code: 'FLOOR_CANNOT_BE_KEPT', message, available: maxExtraGpus }] };
}

/** Every pod must be one that the workload allows, and all together must serve it: nothing else may change. */
function refuseOtherDemand(state: StateDocument, fleet: Fleet, { services }: Workload): void {
  const places = new Map(state.gpus.map(({ id }, index) => [id, index]));
  const carried = services.map(() => 0);
  const problems: Problem[] = [];
  for (const { id, source, instances } of fleet.gpus) {
    for (const { type, start, profile } of instances) {
      const pod = fleet.types.list[type];
      if (pod === undefined) continue;
      if (pod.point !== undefined) {
        (carried[pod.service] as number) += pod.point.plannedRps;
        continue;
      }
      const index = source.instances.findIndex((instance) => instance.start === start);
      problems.push(
        problem('STATE_OF_OTHER_DEMAND', {
          message: `The workload does not let ${pod.name} run ${pod.batch} × ${pod.processes} on ${profile.name} (GPU ${id}).`,
          path: `gpus[${places.get(id)}].instances[${index}]`,
        }),
      );
    }
  }
  for (const [i, { name, rateRps }] of services.entries()) {
    const rps = carried[i] as number;
    if (rps >= rateRps * (1 - 1e-9)) continue;
    const message = `The pods of ${name} cannot carry what the workload asks for.`;
    const [expected, received] = [`${showNumber(rateRps)} rps`, `${showNumber(rps)} rps`];
    problems.push(problem('STATE_OF_OTHER_DEMAND', { message, path: 'gpus', expected, received }));
  }
  if (problems.length > 0) throw new InlayError(problems);
}

function buildRoomProblem(state: StateDocument, workload: Workload, finder: PointFinder, fleet: Fleet, backend: Backend): TargetProblem {
  const cuts = listCuts(workload, finder.index.sizes, findHeldGpus(workload, state));
  const factors = workload.services.map(() => 1);
  const built = buildProblem(workload, finder, cuts, 'gpus', factors);
  const free = buildTargetProblem({ workload, finder, cuts, objective: 'gpus', deal: 'together' }, built, fleet, backend);
  return { ...free, services: free.services.map((service) => service && keepKinds(service)) };
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
