import type { PlanDocument } from '../demand/documents/plan.js';
import type { StateDocument } from '../demand/documents/state.js';
import {
  type Backend,
  defaultStepDurations,
  type FloorKind,
  type StepDurations,
  type TransitionDocument,
} from '../demand/documents/transition.js';
import type { Workload } from '../demand/workload.js';
import { inlayError } from '../errors.js';
import { plan } from '../plan/plan.js';
import type { InfeasiblePlan } from '../plan/plan-result.js';
import type { SearchContext } from '../plan/solve-problem.js';
import { chooseTarget } from './choose-target.js';
import { explainDeadlock } from './explain-deadlock.js';
import { findBestOrder } from './find-best-order.js';
import type { ServiceDip } from './find-dip.js';
import { listBounds } from './list-bounds.js';
import { type PublishedOptions, transitPublished } from './published/transit-published.js';
import { spareGpus } from './spare-gpus.js';
import { writeTransition } from './write-transition.js';

/** What to reach, how GPUs are changed, and what may be used on the way. */
export interface TransitionOptions extends SearchContext {
  /** Default `gpus`. */
  readonly objective?: 'gpus' | 'cost';
  /** Default `instance`. */
  readonly backend?: Backend;
  /** Default `raw`. */
  readonly floor?: FloorKind;
  /** Default: 30 s a pod start, see `defaultStepDurations`. */
  readonly durations?: Partial<StepDurations>;
  /** GPUs in use above the larger of start and target; default: what the pools have free, 1 for a pool without count. */
  readonly maxExtraGpus?: number;
  /** GPUs of the target above the fewest; default 0. */
  readonly above?: number;
  /** `published`: exchange-and-compact (MIG-serving) to a plan made afresh, for comparison; default `least-change`. */
  readonly method?: 'least-change' | 'published';
  /** A plan to reach instead of the fewest GPUs of the workload; where its pods go is still chosen. */
  readonly plan?: PlanDocument;
}

/** No order was found that keeps every floor within the extra GPUs. */
export interface InfeasibleTransition extends InfeasiblePlan {
  /** The smallest dips that were found for going there all the same; services that keep their floor are left out. */
  readonly dips?: readonly ServiceDip[];
  /** Extra GPUs with which an order was found; absent when none was. */
  readonly neededExtraGpus?: number;
}

/** A transition, or why there is none. */
export type TransitionResult = { readonly kind: 'transition'; readonly transition: TransitionDocument } | InfeasibleTransition;

/**
 * From what runs to what should run: the target of least change, and steps to it in an order that keeps every service at
 * min(old rate, new rate) or what it starts with, whatever the delays, within the extra GPUs.
 */
export async function transition(state: StateDocument, workload: Workload, options: TransitionOptions): Promise<TransitionResult> {
  const { backend = 'instance', floor = 'raw' } = options;
  const durations = { ...defaultStepDurations, ...options.durations };
  if (options.method === 'published') return transitToFreshPlan(state, workload, { ...options, floor, durations });
  const chosen = await chooseTarget(state, workload, options);
  if (chosen.kind === 'infeasible') return chosen;
  const maxExtraGpus = options.maxExtraGpus ?? spareGpus(chosen.problem, workload);
  const context = { ...options, workload, backend, floor, durations };
  const best = await findBestOrder(chosen, maxExtraGpus, context);
  if (best.order === undefined) return explainDeadlock(chosen, maxExtraGpus, context);
  return {
    kind: 'transition',
    transition: writeTransition({
      state,
      workload,
      fleet: chosen.problem.fleet,
      backend,
      floor,
      durations,
      ...best.order,
      maxExtraGpus,
      bounds: await listBounds(chosen, best, context),
    }),
  };
}

async function transitToFreshPlan(
  state: StateDocument,
  workload: Workload,
  options: TransitionOptions & PublishedOptions,
): Promise<TransitionResult> {
  if ((options.backend ?? 'instance') !== 'instance') {
    throw inlayError('USAGE', { message: 'Exchange-and-compact changes instances one by one.', hint: 'Use --backend instance.' });
  }
  if (options.plan !== undefined) return transitPublished(state, workload, options.plan, options);
  const { solver, signal, objective = 'gpus' } = options;
  const fresh = await plan(workload, { solver, objective, current: state, ...(signal && { signal }) });
  return fresh.kind === 'plan' ? transitPublished(state, workload, fresh.plan, options) : fresh;
}
