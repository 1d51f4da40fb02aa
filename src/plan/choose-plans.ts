import { ProgramBuilder } from '../solver/program-builder.js';
import type { LinearProgram, SolveOptions, Solver } from '../solver/solver.js';
import type { Cover } from './cheapest-cover.js';
import { addGpuColumns, countSizes, type GpuColumns, readPacking } from './pack-gpus.js';
import type { Packing, PackingProblem } from './packing-problem.js';
import type { PlanChoice } from './service-plans.js';

/** When one integer program may stop. */
export interface SearchLimits {
  /** Cost that is good enough. */
  readonly target: number;
  /** Costs are multiples of this (0 when not), so that an answer within one unit of the bound is the best. */
  readonly unit: number;
  readonly maxNodes: number;
}

/** The limits in the solver's terms. */
export function toSolveOptions(limits: SearchLimits): SolveOptions {
  return {
    ...(Number.isFinite(limits.target) && { objectiveTarget: limits.target + 1e-6 }),
    absoluteGap: Math.max(1e-6, limits.unit - 1e-4 * limits.unit),
    maxNodes: limits.maxNodes,
  };
}

/**
 * The cheapest packing in which the services of `free` choose one of their plans and all others keep `base`;
 * undefined when the solver finds none within its limits.
 */
export async function choosePlans(
  problem: PackingProblem,
  solver: Solver,
  base: Int32Array,
  free: readonly PlanChoice[],
  limits: SearchLimits,
): Promise<Packing | undefined> {
  const { program, gpus, first } = buildChoice(problem, base, free, limits.target);
  const solution = await solver.solve(program, toSolveOptions(limits));
  if (solution.x.length === 0) return undefined;
  const instances = base.slice();
  for (const [f, { service, covers }] of free.entries()) {
    const chosen = covers.findIndex((_, c) => (solution.x[(first[f] as number) + c] as number) > 0.5);
    instances.set((covers[chosen] as Cover).counts, service * problem.sizeCount);
  }
  return readPacking(problem, gpus, solution.x, instances);
}

/**
 * Lets a linear program choose between equally good plans, so that sizes fit layouts on the whole: `base` with every
 * service of `free` at its most chosen plan, and the services that a basic solution leaves between plans.
 */
export async function balancePlans(
  problem: PackingProblem,
  solver: Solver,
  base: Int32Array,
  free: readonly PlanChoice[],
): Promise<{ readonly instances: Int32Array; readonly split: readonly number[] }> {
  const instances = base.slice();
  const split: number[] = [];
  const { program, first } = buildChoice(problem, base, free);
  const solution = await solver.solve(program);
  if (solution.x.length === 0) return { instances, split };
  for (const [f, { service, covers }] of free.entries()) {
    let most = 0;
    const share = (c: number): number => solution.x[(first[f] as number) + c] as number;
    for (let c = 1; c < covers.length; c++) if (share(c) > share(most)) most = c;
    instances.set((covers[most] as Cover).counts, service * problem.sizeCount);
    if (share(most) < 1 - 1e-6) split.push(service);
  }
  return { instances, split };
}

function buildChoice(
  problem: PackingProblem,
  base: Int32Array,
  free: readonly PlanChoice[],
  target?: number,
): { readonly program: LinearProgram; readonly gpus: GpuColumns; readonly first: readonly number[] } {
  const builder = new ProgramBuilder();
  const gpus = addGpuColumns(builder, problem, countSizes(problem, base, new Set(free.map(({ service }) => service))), target);
  const first = free.map(({ covers }) => {
    const row = builder.row(1, 1);
    const columns = covers.map((cover) => {
      const column = builder.column(0, 0, 1, true);
      builder.entry(row, column, 1);
      for (const [k, count] of cover.counts.entries()) builder.entry(gpus.sizeRow[k] as number, column, count);
      return column;
    });
    return columns[0] as number;
  });
  const program = builder.build();
  if (target !== undefined) return { program, gpus, first };
  const { integer: _, ...relaxed } = program;
  return { program: relaxed, gpus, first };
}
