import type { StateDocument } from '../demand/documents/state.js';
import { createPointFinder } from '../demand/operating-points.js';
import type { Workload } from '../demand/workload.js';
import { InlayError, inlayError, problem } from '../errors.js';
import type { Objective } from './build-problem.js';
import type { Deal } from './deal-instances.js';
import { findHeldGpus } from './held-gpus.js';
import { findConflicts } from './infeasible.js';
import { maxInstances, maxSingleInstances, refuseTooMany } from './instance-limit.js';
import { listCuts } from './list-cuts.js';
import type { PlanResult } from './plan-result.js';
import type { SearchContext } from './solve-problem.js';
import { planBalanced } from './strategies/balanced.js';
import { planExactly } from './strategies/exact.js';
import { planGreedily } from './strategies/greedy.js';
import { planByMigServing } from './strategies/mig-serving.js';
import { planSmallest } from './strategies/smallest.js';
import { planStaticMix } from './strategies/static-mix.js';
import type { PlanRequest, Strategy } from './strategies/strategy.js';
import type { StrategyOptions } from './strategies/strategy-options.js';
import { planByUtility } from './strategies/utility-first.js';
import { planWhole, planWholeSingle } from './strategies/whole.js';

/** What to optimise and how, whom to ask and whom to tell. */
export interface PlanOptions extends SearchContext {
  /** Default `gpus`. */
  readonly objective?: Objective;
  /** Default `exact`. */
  readonly strategy?: StrategyName;
  /** What runs now: GPUs and instances reserved there are left alone, and `utility-first` keeps to the rest. */
  readonly current?: StateDocument;
  /** Default `together`. */
  readonly deal?: Deal;
  /** Settings of the published strategies. */
  readonly strategyOptions?: StrategyOptions;
  /** `spread`: of the plans on as many GPUs take the one in which the fullest service is least full. Only with `exact`, not for `max-min`. */
  readonly spare?: 'spread';
  /** How many times its rate the planned capacity of a service must be at least, by name; default 1. Only with `exact`, not for `max-min`. */
  readonly headroom?: ReadonlyMap<string, number>;
}

/** The ways to plan, by name. */
export const strategies = {
  exact: planExactly,
  greedy: planGreedily,
  'mig-serving': planByMigServing,
  'utility-first': planByUtility,
  whole: planWhole,
  'whole-single': planWholeSingle,
  smallest: planSmallest,
  'static-mix': planStaticMix,
  balanced: planBalanced,
} as const satisfies Record<string, Strategy>;
/** The name of a strategy. */
export type StrategyName = keyof typeof strategies;

/**
 * Plans a workload: which GPUs, how each is cut, what runs where, and a bound that says how good the plan is.
 * Equal input gives an equal plan, byte for byte, unless `signal` stops the search: then the best so far is given.
 * Inputs that cannot be met give `{kind: 'infeasible'}`. Throws InlayError for an objective that makes no sense for the input.
 */
export async function plan(workload: Workload, options: PlanOptions): Promise<PlanResult> {
  const objective = options.objective ?? 'gpus';
  if (objective === 'max-min') requireLimits(workload);
  const finder = createPointFinder(workload);
  const cuts = listCuts(workload, finder.index.sizes, findHeldGpus(workload, options.current));
  const { current, strategyOptions, spare, headroom } = options;
  if (spare !== undefined || headroom !== undefined) requireExact(options);
  const request: PlanRequest = {
    workload,
    finder,
    cuts,
    objective,
    deal: options.deal ?? 'together',
    ...(current && { current }),
    ...(strategyOptions && { strategyOptions }),
    ...(spare && { spare }),
    ...(headroom && { headroom }),
  };
  const conflicts = findConflicts(request);
  if (conflicts.length > 0) return { kind: 'infeasible', conflicts };
  const strategy = options.strategy ?? 'exact';
  if (objective !== 'max-min') refuseTooMany(request, strategy === 'exact' ? maxInstances : maxSingleInstances);
  return strategies[strategy](request, options);
}

function requireExact({ strategy = 'exact', objective = 'gpus' }: PlanOptions): void {
  if (strategy === 'exact' && objective !== 'max-min') return;
  throw inlayError('USAGE', {
    message: 'Spare capacity is shared out only by the strategy exact, and not for the objective max-min, which leaves none.',
    expected: 'strategy exact with the objective gpus or cost',
    received: `strategy ${strategy} with the objective ${objective}`,
  });
}

function requireLimits(workload: Workload): void {
  const missing = workload.pools.flatMap((pool, g) => {
    if (pool.count !== Infinity) return [];
    return problem('MISSING_KEY', {
      message: `The objective max-min needs a fixed fleet, but pool ${pool.name} has no count.`,
      path: `spec.pools[${g}].count`,
      expected: 'the number of GPUs in the pool',
      hint: 'Add count to every pool, or use --objective gpus.',
    });
  });
  if (missing.length > 0) throw new InlayError(missing);
}
