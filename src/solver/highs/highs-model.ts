import type { Highs, Model, ModelData } from 'highs';
import type { LinearProgram, Solution, SolveOptions, SolveStatus, SparseVectors } from '../solver.js';

/** A program inside a loaded HiGHS, with the options that every solve starts from. Synchronous; `dispose` it, or it leaks. */
export interface HighsModel {
  addRows(rows: SparseVectors, lower: Float64Array, upper: Float64Array): void;
  addColumns(columns: SparseVectors, cost: Float64Array, lower: Float64Array, upper: Float64Array): void;
  solve(options: SolveOptions): Solution;
  dispose(): void;
}

const none = new Float64Array(0);

/** Copies a program into HiGHS. A program without an integer column is an LP. */
export function openHighsModel(highs: Highs, program: LinearProgram): HighsModel {
  const integer = program.integer?.some((flag) => flag === 1) ? program.integer : undefined;
  const model = highs.createModel(toModelData(program, integer));
  return {
    addRows: (rows, lower, upper) => {
      const { numCols } = model.getDimensions();
      model.addRows({ lower, upper, matrix: { format: 'csr', numRows: lower.length, numCols, ...rows } });
    },
    addColumns: (columns, cost, lower, upper) => {
      const { numRows } = model.getDimensions();
      model.addCols({ cost, lower, upper, matrix: { format: 'csc', numRows, numCols: cost.length, ...columns } });
    },
    solve: (options) => solve(highs, model, integer !== undefined, options),
    dispose: () => model.dispose(),
  };
}

function toModelData(program: LinearProgram, integer: Uint8Array | undefined): ModelData {
  const numCols = program.cost.length;
  const numRows = program.rowLower.length;
  return {
    numCols,
    numRows,
    colCost: program.cost,
    colLower: program.colLower,
    colUpper: program.colUpper,
    rowLower: program.rowLower,
    rowUpper: program.rowUpper,
    matrix: { format: 'csc', numRows, numCols, ...program.columns },
    ...(integer === undefined ? {} : { integrality: Int32Array.from(integer) }),
  };
}

function solve(highs: Highs, model: Model, isMip: boolean, options: SolveOptions): Solution {
  applyOptions(model, isMip, options);
  if (isMip && options.start !== undefined) model.setSolution({ colValue: options.start });
  const { modelStatus } = highs.constants;
  let ended: number = model.run().modelStatus;
  if (ended === modelStatus.unboundedOrInfeasible) ended = tellUnboundedFromInfeasible(highs, model);
  if (ended === modelStatus.empty) return solveWithoutColumns(model);
  return readSolution(model, isMip, toSolveStatus(highs, model, ended));
}

function applyOptions(model: Model, isMip: boolean, options: SolveOptions): void {
  model.options.reset();
  model.options.set({ output_flag: false, random_seed: 1, presolve: options.presolve === false ? 'off' : 'choose' });
  if (!isMip) {
    model.options.set('solver', options.method ?? 'choose');
    return;
  }
  // The option `solver` is left alone here: with any value but `choose`, HiGHS solves the relaxation instead of the MIP.
  model.options.set({ mip_rel_gap: options.relativeGap ?? 0, mip_abs_gap: options.absoluteGap ?? 1e-6 });
  if (options.maxNodes !== undefined) model.options.set('mip_max_nodes', options.maxNodes);
  if (options.objectiveTarget !== undefined) model.options.set('objective_target', justAbove(options.objectiveTarget));
}

/** HiGHS stops strictly below its target, and sums costs in floating point; "at most" needs a hair of room. */
function justAbove(target: number): number {
  return target + 1e-9 * Math.max(1, Math.abs(target));
}

/** HiGHS calls a program without columns "empty" and does not look at its rows, whose sums are all 0. */
function solveWithoutColumns(model: Model): Solution {
  const { numRows } = model.getDimensions();
  const rows = numRows === 0 ? undefined : model.getRows({ kind: 'range', from: 0, to: numRows - 1 });
  const isBroken = rows?.lower.some((lower, row) => lower > 0 || (rows.upper[row] as number) < 0) ?? false;
  if (isBroken) return { status: 'infeasible', objective: Number.NaN, bound: Number.POSITIVE_INFINITY, x: none, rowDual: none };
  return { status: 'optimal', objective: 0, bound: 0, x: none, rowDual: new Float64Array(numRows) };
}

/** Presolve may prove "one of the two" only; without the cost, what is left to find out is whether any answer exists. */
function tellUnboundedFromInfeasible(highs: Highs, model: Model): number {
  const { modelStatus } = highs.constants;
  const { numCols } = model.getDimensions();
  const everyColumn = { kind: 'range', from: 0, to: numCols - 1 } as const;
  const { cost } = model.getCols(everyColumn);
  model.changeColsCost(everyColumn, new Float64Array(numCols));
  const ended = model.run().modelStatus;
  model.changeColsCost(everyColumn, cost);
  return ended === modelStatus.infeasible ? modelStatus.infeasible : modelStatus.unbounded;
}

function toSolveStatus(highs: Highs, model: Model, ended: number): SolveStatus {
  const { modelStatus } = highs.constants;
  switch (ended) {
    case modelStatus.optimal:
      return 'optimal';
    case modelStatus.infeasible:
      return 'infeasible';
    case modelStatus.unbounded:
      return 'unbounded';
    default:
      return model.info.get('primal_solution_status') === feasiblePoint ? 'feasible' : 'none';
  }
}

/** HiGHS's value of `primal_solution_status` for a point within all limits. */
const feasiblePoint = 2;

function readSolution(model: Model, isMip: boolean, status: SolveStatus): Solution {
  const proven = isMip ? Number(model.info.get('mip_dual_bound')) : Number.NEGATIVE_INFINITY;
  switch (status) {
    case 'infeasible':
      return { status, objective: Number.NaN, bound: Number.POSITIVE_INFINITY, x: none, rowDual: none };
    case 'unbounded':
      return { status, objective: Number.NaN, bound: Number.NEGATIVE_INFINITY, x: none, rowDual: none };
    case 'none':
      return { status, objective: Number.NaN, bound: proven, x: none, rowDual: none };
    default: {
      const { colValue, rowDual } = model.getSolution();
      const objective = model.getObjectiveValue();
      const bound = !isMip && status === 'optimal' ? objective : proven;
      return { status, objective, bound, x: colValue, rowDual: isMip ? none : rowDual };
    }
  }
}
