/**
 * The LP/MIP interface that pure rooms are handed as a value. The adapter in `highs/` is the only implementation;
 * nothing here knows about it.
 */

/** Rows or columns in compressed sparse form: entry e of vector v lies at `starts[v] <= e < starts[v + 1]`. */
export interface SparseVectors {
  readonly starts: Int32Array;
  readonly indices: Int32Array;
  readonly values: Float64Array;
}

/**
 * minimise cost·x subject to rowLower ≤ A·x ≤ rowUpper, colLower ≤ x ≤ colUpper, x_j integer where integer[j] = 1.
 * Infinite limits are ±Infinity. The matrix is given by columns.
 */
export interface LinearProgram {
  readonly cost: Float64Array;
  readonly colLower: Float64Array;
  readonly colUpper: Float64Array;
  readonly rowLower: Float64Array;
  readonly rowUpper: Float64Array;
  readonly columns: SparseVectors;
  /** Length of `cost`; absent for a pure LP. */
  readonly integer?: Uint8Array;
}

/** Limits of one solve. Seconds are left out on purpose: they would make answers depend on the machine. */
export interface SolveOptions {
  /** Stop a MIP when an answer of at most this cost is found. */
  readonly objectiveTarget?: number;
  /** Stop a MIP after this many branch-and-bound nodes. */
  readonly maxNodes?: number;
  /** Relative gap at which a MIP may stop; default 0. */
  readonly relativeGap?: number;
  /** Absolute gap at which a MIP may stop; default 1e-6. */
  readonly absoluteGap?: number;
  /** Starting point of a MIP, one value a column. */
  readonly start?: Float64Array;
  /** LP method; default lets the solver choose. */
  readonly method?: 'simplex' | 'ipm';
  /** Skip presolve, which does not pay for tiny programs solved many times. */
  readonly presolve?: boolean;
}

/** How a solve ended: proven best; a usable answer within limits or at the target; or none. */
export type SolveStatus = 'optimal' | 'feasible' | 'infeasible' | 'unbounded' | 'none';

/** The answer of one solve. */
export interface Solution {
  readonly status: SolveStatus;
  /** Cost of `x`; NaN without an answer. */
  readonly objective: number;
  /** Proven limit on the cost (equals `objective` for an LP); -Infinity when nothing is proven. */
  readonly bound: number;
  /** One value a column; empty without an answer. */
  readonly x: Float64Array;
  /** Shadow price of each row (LP only; empty for a MIP): how much the cost rises per unit of the row's limit. */
  readonly rowDual: Float64Array;
}

/** A program kept in the solver, so that rows can be added and the last basis reused. */
export interface SolverSession {
  addRows(rows: SparseVectors, lower: Float64Array, upper: Float64Array): Promise<void>;
  addColumns(columns: SparseVectors, cost: Float64Array, lower: Float64Array, upper: Float64Array): Promise<void>;
  solve(options?: SolveOptions): Promise<Solution>;
  close(): Promise<void>;
}

/** Something that solves linear programs and mixed-integer programs, repeatably: equal calls give equal answers. */
export interface Solver {
  solve(program: LinearProgram, options?: SolveOptions): Promise<Solution>;
  open(program: LinearProgram): Promise<SolverSession>;
}
