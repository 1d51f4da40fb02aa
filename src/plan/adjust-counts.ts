import { ProgramBuilder } from '../solver/program-builder.js';
import type { Solver } from '../solver/solver.js';
import { type SearchLimits, toSolveOptions } from './choose-plans.js';
import { addGpuColumns, countSizes, readPacking } from './pack-gpus.js';
import type { Packing, PackingProblem } from './packing-problem.js';

/** How far a count may move from the base plan; wider windows made programs slower and plans no better. */
const window = 6;

/**
 * The cheapest packing in which the services of `free` may move every count by up to 6 from `base` as long as their
 * demand stays covered: reaches mixes that no listed service plan has. Undefined when none is found within the limits.
 */
export async function adjustCounts(
  problem: PackingProblem,
  solver: Solver,
  base: Int32Array,
  free: readonly number[],
  limits: SearchLimits,
): Promise<Packing | undefined> {
  const { sizeCount, throughput, demand, minCount } = problem;
  const program = new ProgramBuilder();
  const gpus = addGpuColumns(program, problem, countSizes(problem, base, new Set(free)), limits.target);
  const columns: { readonly at: number; readonly column: number }[] = [];
  for (const i of free) {
    const need = demand[i] as number;
    const cover = program.row(1, Infinity);
    const replicas = (minCount[i] as number) > 1 ? program.row(minCount[i] as number, Infinity) : -1;
    for (let k = 0; k < sizeCount; k++) {
      const at = i * sizeCount + k;
      const rps = throughput[at] as number;
      if (rps === 0) continue;
      const now = base[at] as number;
      const most = Math.min(now + window, Math.max(Math.ceil(need / rps), minCount[i] as number));
      const column = program.column(0, Math.max(0, Math.min(now - window, most)), most, true);
      program.entry(gpus.sizeRow[k] as number, column, 1);
      program.entry(cover, column, rps / need);
      if (replicas >= 0) program.entry(replicas, column, 1);
      columns.push({ at, column });
    }
  }
  const solution = await solver.solve(program.build(), toSolveOptions(limits));
  if (solution.x.length === 0) return undefined;
  const instances = base.slice();
  for (const { at, column } of columns) instances[at] = Math.round(solution.x[column] as number);
  if (!free.every((i) => covers(problem, instances, i))) return undefined;
  return readPacking(problem, gpus, solution.x, instances);
}

/** The solver keeps rows only to about 1e-6; a plan must keep its promise to the last bit. */
function covers(problem: PackingProblem, instances: Int32Array, i: number): boolean {
  let rps = 0;
  for (let k = 0; k < problem.sizeCount; k++) {
    rps += (instances[i * problem.sizeCount + k] as number) * (problem.throughput[i * problem.sizeCount + k] as number);
  }
  return rps >= (problem.demand[i] as number) * (1 - 1e-12);
}
