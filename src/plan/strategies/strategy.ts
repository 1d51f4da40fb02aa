import type { StateDocument } from '../../demand/documents/state.js';
import type { PointFinder } from '../../demand/operating-points.js';
import type { Workload } from '../../demand/workload.js';
import type { Objective } from '../build-problem.js';
import type { Deal } from '../deal-instances.js';
import type { Cut } from '../list-cuts.js';
import type { PlanResult } from '../plan-result.js';
import type { SearchContext } from '../solve-problem.js';
import type { StrategyOptions } from './strategy-options.js';

/** A demand that has passed the first checks: every service has a row it can use. */
export interface PlanRequest {
  readonly workload: Workload;
  readonly finder: PointFinder;
  readonly cuts: readonly Cut[];
  readonly objective: Objective;
  readonly deal: Deal;
  /** What runs now, for strategies that keep to it. */
  readonly current?: StateDocument;
  readonly strategyOptions?: StrategyOptions;
  /** `spread` shares out what the GPUs have to spare. */
  readonly spare?: 'spread';
  /** How many times its rate the planned capacity of a service must be at least, > 1, by name. */
  readonly headroom?: ReadonlyMap<string, number>;
}

/** One way to plan. All give the same kind of answer, so that they can be compared and checked alike. */
export type Strategy = (request: PlanRequest, context: SearchContext) => Promise<PlanResult>;
