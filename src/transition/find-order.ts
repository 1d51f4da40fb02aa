import type { Backend, StepDurations } from '../demand/documents/transition.js';
import type { Workload } from '../demand/workload.js';
import type { Solver } from '../solver/solver.js';
import type { MoveProblem } from './move-problem.js';
import { type ServiceFloor, type TimedSteps, timeSteps } from './time-steps.js';
import type { WavePlan } from './wave-plan.js';
import { solveWaves } from './wave-program.js';
import { type DraftTransition, writeWaves } from './write-waves.js';

/** Steps in a safe order, with the fewest waves that are proven to be needed. */
export interface FoundOrder {
  readonly draft: DraftTransition;
  readonly timed: TimedSteps;
  readonly temporaryPods: number;
  readonly waves: number;
}

/** The best order found, if any, and a proven limit on the waves of pod starts. */
export interface OrderSearch {
  readonly order?: FoundOrder;
  readonly leastWaves: number;
}

export interface OrderContext {
  readonly workload: Workload;
  readonly backend: Backend;
  readonly durations: StepDurations;
  readonly solver: Solver;
  readonly signal?: AbortSignal;
}

/** How far to look. */
export interface OrderLimits {
  /** Orders of more waves are not looked for; default 12. */
  readonly waves?: number;
  /** Up to how many waves pods that run only for a while are allowed; default 6 where few pods start, 4 where many do. */
  readonly gapWaves?: number;
}

/** More waves than this were never of use where fewer were impossible. */
const mostWaves = 12;
/** Programs that allow pods for a while take minutes where many pods start in many waves. */
const mostGapWaves = { fewStarts: 6, manyStarts: 4 } as const;
const fewStarts = 40;
const nodes = { plain: 300, withStopGaps: 60 } as const;

/**
 * Looks for an order in one wave, then in two, and so on: first with the pods of the target only, then with others that run
 * for a while. Pods for a while can save waves, so the shorter of both orders is taken; ties go to fewer of them.
 */
export async function findOrder(move: MoveProblem, context: OrderContext, limits: OrderLimits = {}): Promise<OrderSearch> {
  const podStarts = move.arrivals.reduce((sum, { count }) => sum + count, 0);
  const usualGapWaves = podStarts <= fewStarts ? mostGapWaves.fewStarts : mostGapWaves.manyStarts;
  const { waves: waveLimit = mostWaves, gapWaves = usualGapWaves } = limits;
  const least = podStarts === 0 ? 0 : 1;
  let leastWaves = least;
  let order: FoundOrder | undefined;
  for (let waves = Math.max(1, least); waves <= waveLimit && context.signal?.aborted !== true; waves++) {
    const plain = await solveWaves(move, waves, { stopGaps: false, dips: false }, context.solver, {
      maxNodes: nodes.plain,
      relativeGap: 0.2,
    });
    if (plain.kind === 'order') order = better(order, writeOrder(move, plain.plan, context));
    else if (waves <= gapWaves) {
      const gaps = await solveWaves(move, waves, { stopGaps: true, dips: false }, context.solver, {
        maxNodes: nodes.withStopGaps,
        relativeGap: 0.2,
      });
      if (gaps.kind === 'order') order = better(order, writeOrder(move, gaps.plan, context));
      else if (gaps.kind === 'impossible' && leastWaves === waves) leastWaves = waves + 1;
    }
    if (plain.kind === 'order') break;
    if (order !== undefined && order.timed.makespanS <= spanOfWaves(waves, context.durations)) break;
  }
  return order === undefined ? { leastWaves } : { order, leastWaves };
}

/** Seconds that so many waves of pod starts take at least: stops lie between them. */
export function spanOfWaves(waves: number, durations: StepDurations): number {
  return waves === 0 ? 0 : waves * durations['start-pod'] + (waves - 1) * durations['stop-pod'];
}

function better(known: FoundOrder | undefined, found: FoundOrder | undefined): FoundOrder | undefined {
  if (known === undefined || found === undefined) return found ?? known;
  const difference = found.timed.makespanS - known.timed.makespanS;
  return difference < -1e-6 || (difference <= 1e-6 && found.temporaryPods < known.temporaryPods) ? found : known;
}

/** Writes a plan in waves as steps with times; undefined where that fails. */
export function writeOrder(move: MoveProblem, plan: WavePlan, context: OrderContext): FoundOrder | undefined {
  const draft = writeWaves(move, plan, context.workload, context.backend);
  if (draft === undefined) return undefined;
  const timed = timeSteps(draft.steps, listFloors(move, plan.dips), context.durations, context.backend === 'node');
  if (timed === undefined) return undefined;
  const temporaryPods = plan.gaps.reduce((sum, { running }) => sum + countRises(running), 0);
  return { draft, timed, temporaryPods, waves: plan.waves };
}

/** What each service starts with and must keep, less the share of a dip that is allowed. */
export function listFloors({ floor, staying, leaving }: MoveProblem, dips: ReadonlyMap<number, number> = new Map()): ServiceFloor[] {
  const ready = staying.slice();
  for (const { type, rps } of leaving) if (type.service >= 0) (ready[type.service] as number) += rps;
  return [...floor].map((need, i) => ({ ready: ready[i] as number, floor: need * Math.max(0, 1 - (dips.get(i) ?? 0)) }));
}

function countRises(running: Int32Array): number {
  return running.reduce((sum, count, w) => sum + Math.max(0, count - (w === 0 ? 0 : (running[w - 1] as number))), 0);
}
