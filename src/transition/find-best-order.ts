import type { FloorKind } from '../demand/documents/transition.js';
import { type BoundTarget, bindTarget } from './bind-target.js';
import type { ChosenTarget } from './choose-target.js';
import { findOrder, type OrderContext, type OrderLimits, type OrderSearch, spanOfWaves } from './find-order.js';
import { buildMoveProblem, type MoveProblem } from './move-problem.js';
import { findVariant } from './search-target.js';
import type { TargetCounts } from './target-counts.js';

/** A target, what has to happen for it, and the best order found. */
export interface BestOrder extends OrderSearch {
  readonly counts: TargetCounts;
  readonly target: BoundTarget;
  readonly move: MoveProblem;
}

/** What an order is looked for with. */
export interface BestOrderContext extends OrderContext {
  readonly floor: FloorKind;
}

/** Targets with equally few pod starts that are tried for a better order, and tried in a row without gain; more were rarely of use. */
const variants = { all: 8, inVain: 4, inVainQuick: 2 } as const;
/** New instances that such a target may have more than the fewest: a second each, where a wave of pods takes half a minute. */
const moreCreations = 6;
/** Seconds that a variant must save: less is no reason for new instances. */
const worthwhileS = 1;

/**
 * An order for the target of least change. Targets with equally few pod starts differ much in how fast they are reached, so
 * where the order takes several waves, or there is none, a few of them are tried.
 */
export async function findBestOrder(chosen: ChosenTarget, extra: number, context: BestOrderContext): Promise<BestOrder> {
  const { problem, found, budget } = chosen;
  const search = async (counts: TargetCounts, limits: OrderLimits): Promise<BestOrder> => {
    const target = bindTarget(problem, counts);
    const move = buildMoveProblem(problem, target, context.workload, { ...context, extra });
    return { counts, target, move, ...(await findOrder(move, context, limits)) };
  };
  let best = await search(found.counts, {});
  const first = best;
  let inVain = 0;
  for (let seed = 1; seed <= variants.all && isSlow(best, context) && context.signal?.aborted !== true; seed++) {
    // Two waves without temporary pods are only shortened by seconds: a quick look is enough.
    const isQuick = best.order !== undefined && best.order.waves <= 2 && best.order.temporaryPods === 0;
    if (best.order !== undefined && inVain++ >= (isQuick ? variants.inVainQuick : variants.inVain)) break;
    const counts = await findVariant(problem, budget, found, moreCreations, seed, isQuick, context.solver);
    if (counts === undefined) continue;
    const waves = best.order === undefined ? {} : { waves: Math.max(1, best.order.waves) };
    const other = await search(counts, { ...waves, gapWaves: best.order === undefined ? 2 : 0 });
    if (other.order === undefined) continue;
    if (best.order !== undefined && other.order.timed.makespanS >= best.order.timed.makespanS - worthwhileS) continue;
    best = other;
    inVain = 0;
  }
  // The quick look at a variant proves nothing about its waves.
  return best === first ? best : search(best.counts, {});
}

/** Whether another target could save a wave, or the pods that run only for a while. */
function isSlow({ order }: BestOrder, { durations }: OrderContext): boolean {
  if (order === undefined || order.temporaryPods > 0) return true;
  return order.timed.makespanS > spanOfWaves(2, durations) + durations['stop-pod'];
}
