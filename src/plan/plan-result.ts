import type { Conflict } from '../demand/conflict.js';
import type { PlanDocument } from '../demand/documents/plan.js';

/** The demand cannot be met: why, what is proven, and how much of it could be met. */
export interface InfeasiblePlan {
  readonly kind: 'infeasible';
  readonly conflicts: readonly Conflict[];
  /** Proven lower limit of GPUs (or cost) where one was found. */
  readonly bound?: number;
  /** Largest common share of every rate that the pools were found to serve, where known. */
  readonly bestFraction?: number;
}

/** A plan with its proof, or why there is none. */
export type PlanResult = { readonly kind: 'plan'; readonly plan: PlanDocument } | InfeasiblePlan;
