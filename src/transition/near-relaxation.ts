import type { Solver } from '../solver/solver.js';
import { readCounts, type TargetCounts } from './target-counts.js';
import type { ServicePlan, TargetProblem } from './target-problem.js';
import { buildTargetProgram } from './target-program.js';

const nodes = 300;
const rounding = 1e-6;

/**
 * A target with few pod starts among those that only end GPUs as the linear relaxation does, be it for a fraction of a GPU.
 * With a thousand services a whole program finds its first answer after minutes; this one is small, and its best was within
 * 1 % of the limit. Undefined when there is none.
 */
export async function solveNearRelaxation(
  problem: TargetProblem,
  budget: number,
  plans: readonly ServicePlan[],
  limit: number,
  solver: Solver,
): Promise<TargetCounts | undefined> {
  const program = buildTargetProgram(problem, budget, plans, { kind: 'pod-starts' });
  const whole = program.builder.build();
  const { integer: _, ...relaxed } = whole;
  const { x } = await solver.solve(relaxed);
  if (x.length === 0) return undefined;
  const colUpper = whole.colUpper.slice();
  for (const column of [...program.optionColumn, ...program.freshColumn].flatMap((columns) => [...columns])) {
    if ((x[column] as number) < rounding) colUpper[column] = 0;
  }
  const options = { objectiveTarget: limit, maxNodes: nodes, absoluteGap: 1 - 1e-4 };
  const found = await solver.solve({ ...whole, colUpper }, options);
  return found.x.length === 0 ? undefined : readCounts(problem, program, plans, found.x);
}
