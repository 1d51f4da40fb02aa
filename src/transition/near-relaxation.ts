import type { SolveOptions, Solver } from '../solver/solver.js';
import { readCounts, type TargetCounts } from './target-counts.js';
import type { PlanList, TargetProblem } from './target-problem.js';
import { type Aim, buildTargetProgram } from './target-program.js';

const rounding = 1e-6;

/** A target, and the cost of the relaxation, which no target of these plans is below. */
export interface NearTarget {
  readonly counts: TargetCounts;
  readonly bound: number;
}

/**
 * A good target for an aim among those that only end GPUs as the linear relaxation does, be it for a fraction of a GPU, or as
 * `known` does. With a thousand services a whole program finds its first answer after minutes; this one is small, and its best
 * was within 1 % of the limit. Undefined when there is none.
 */
export async function solveNearRelaxation(
  problem: TargetProblem,
  budget: number,
  list: PlanList,
  aim: Aim,
  options: SolveOptions,
  solver: Solver,
  known?: TargetCounts,
): Promise<NearTarget | undefined> {
  const program = buildTargetProgram(problem, budget, list, aim);
  const whole = program.builder.build();
  const { integer: _, ...relaxed } = whole;
  const { x, objective } = await solver.solve(relaxed);
  if (x.length === 0) return undefined;
  const colUpper = whole.colUpper.slice();
  const limit = (columns: readonly Int32Array[], counts: readonly Int32Array[] | undefined): void => {
    for (const [c, own] of columns.entries()) {
      for (const [o, column] of own.entries()) {
        if ((x[column] as number) < rounding && (counts?.[c]?.[o] ?? 0) === 0) colUpper[column] = 0;
      }
    }
  };
  limit(program.optionColumn, known?.options);
  limit(program.freshColumn, known?.fresh);
  const found = await solver.solve({ ...whole, colUpper }, options);
  return found.x.length === 0 ? undefined : { counts: readCounts(problem, program, list, found.x), bound: objective };
}
