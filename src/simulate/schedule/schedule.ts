import type { PlanDocument } from '../../demand/documents/plan.js';
import type { StateDocument } from '../../demand/documents/state.js';
import type { TransitionDocument } from '../../demand/documents/transition.js';
import type { Workload } from '../../demand/workload.js';

/** What serves from the start of a period: a plan or a state all at once, what a transition makes of what ran before, or the same as before. */
export type Serving =
  | { readonly kind: 'plan'; readonly plan: PlanDocument }
  | { readonly kind: 'state'; readonly state: StateDocument }
  | { readonly kind: 'transition'; readonly transition: TransitionDocument; readonly startS: number }
  | { readonly kind: 'same' };

/** One period with everything it names read. */
export interface Period {
  readonly startS: number;
  readonly workload: Workload;
  readonly serving: Serving;
}

/** A schedule with everything it names read; periods by rising start, the first at 0. */
export interface Schedule {
  readonly name: string;
  readonly endS: number;
  readonly periods: readonly Period[];
}
