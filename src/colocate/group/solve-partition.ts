import { ProgramBuilder } from '../../solver/program-builder.js';
import type { LinearProgram, SolveOptions, Solver } from '../../solver/solver.js';

/** A column of a partition: how many of each type it takes, and what it costs. */
export interface PartitionColumn {
  /** Indices of types, one may repeat. */
  readonly members: readonly number[];
  readonly cost: number;
}

/** A partition at least cost, with a proven limit. */
export interface Partition {
  /** How often each column is taken; columns that are not are left out. */
  readonly chosen: ReadonlyMap<number, number>;
  readonly cost: number;
  /** No partition costs less. */
  readonly bound: number;
}

/** What is to be partitioned. */
export interface PartitionProblem {
  readonly columns: readonly PartitionColumn[];
  /** How many of each type there are; all must be taken. */
  readonly demand: readonly number[];
  /** Most columns that may be taken; no limit when absent. */
  readonly limit?: number;
  /** Indices of columns that make up some partition within the limit: where the search begins. */
  readonly start: readonly number[];
  /** Costs are whole numbers. */
  readonly whole?: boolean;
}

const tolerance = 1e-7;
/** Columns taken into the program at once. */
const batch = 500;
/** Columns of the first, quick integer program. */
const quickColumns = 1500;
/** Columns beyond which the integer program is not worth its time. */
const mostColumns = 5000;
const maxNodes = 500;

/**
 * Takes columns so that every type is covered as often as it is there. Columns are priced into a linear program until none
 * would lower its cost: that is the bound. Then an integer program chooses among the columns of least reduced cost, and among
 * all that can be part of a better partition.
 */
export async function solvePartition(problem: PartitionProblem, solver: Solver): Promise<Partition> {
  const { value, reducedCosts } = await solveRelaxation(problem, solver);
  const lowest = problem.whole === true ? Math.ceil(value - 1e-6) : value;
  const order = reducedCosts.map((_, column) => column).sort((a, b) => (reducedCosts[a] as number) - (reducedCosts[b] as number) || a - b);
  const quick = [...new Set([...problem.start, ...order.slice(0, quickColumns)])];
  const first = await solveInteger(problem, quick, lowest, solver);
  const useful = order.filter((column) => (reducedCosts[column] as number) <= first.cost - lowest + tolerance);
  if (first.cost <= lowest + tolerance || useful.length > mostColumns || useful.every((column) => quick.includes(column))) {
    const bound = useful.length > mostColumns ? lowest : Math.max(lowest, Math.min(first.bound, first.cost));
    return { ...first, bound: first.cost <= lowest + tolerance ? first.cost : bound };
  }
  const second = await solveInteger(problem, [...new Set([...problem.start, ...useful])], lowest, solver);
  const best = second.cost < first.cost ? second : first;
  return { ...best, bound: Math.min(best.cost, Math.max(lowest, second.bound)) };
}

interface Relaxation {
  readonly value: number;
  readonly reducedCosts: readonly number[];
}

async function solveRelaxation(problem: PartitionProblem, solver: Solver): Promise<Relaxation> {
  const { columns } = problem;
  const taken = new Set(problem.start);
  for (const column of cheapestOfEachType(problem)) taken.add(column);
  for (;;) {
    const { objective, rowDual } = await solver.solve(toProgram(problem, [...taken], false));
    const limitPrice = problem.limit === undefined ? 0 : (rowDual[problem.demand.length] as number);
    const reducedCosts = columns.map(({ members, cost }) =>
      members.reduce((rest, type) => rest - (rowDual[type] as number), cost - limitPrice),
    );
    const better = reducedCosts
      .map((_, column) => column)
      .filter((column) => (reducedCosts[column] as number) < -tolerance && !taken.has(column))
      .sort((a, b) => (reducedCosts[a] as number) - (reducedCosts[b] as number) || a - b);
    if (better.length === 0) return { value: objective, reducedCosts };
    for (const column of better.slice(0, batch)) taken.add(column);
  }
}

/** A few good columns of every type, so that the first prices are not wild. */
function cheapestOfEachType({ columns, demand }: PartitionProblem): readonly number[] {
  const best = demand.map((): number[] => []);
  const order = columns.map((_, column) => column).sort((a, b) => perMember(columns, a) - perMember(columns, b) || a - b);
  for (const column of order) {
    for (const type of new Set(columns[column]?.members)) if ((best[type] as number[]).length < 10) (best[type] as number[]).push(column);
  }
  return best.flat();
}

function perMember(columns: readonly PartitionColumn[], column: number): number {
  const { cost, members } = columns[column] as PartitionColumn;
  return cost / members.length;
}

async function solveInteger(problem: PartitionProblem, among: readonly number[], target: number, solver: Solver): Promise<Partition> {
  const options: SolveOptions = { maxNodes, absoluteGap: problem.whole === true ? 0.999 : tolerance, objectiveTarget: target + tolerance };
  const { x, bound } = await solver.solve(toProgram(problem, among, true), options);
  const counts = among.map((column, k) => [column, Math.round(x[k] ?? 0)] as const).filter(([, count]) => count > 0);
  if (counts.length === 0) return { chosen: new Map(), cost: Number.POSITIVE_INFINITY, bound: target };
  const cost = counts.reduce((sum, [column, count]) => sum + count * (problem.columns[column] as PartitionColumn).cost, 0);
  return { chosen: new Map(counts), cost, bound: problem.whole === true ? Math.ceil(bound - 1e-6) : bound };
}

function toProgram({ columns, demand, limit }: PartitionProblem, among: readonly number[], integer: boolean): LinearProgram {
  const builder = new ProgramBuilder();
  for (const count of demand) builder.row(count, count);
  const limitRow = limit === undefined ? undefined : builder.row(Number.NEGATIVE_INFINITY, limit);
  for (const index of among) {
    const { members, cost } = columns[index] as PartitionColumn;
    const counts = new Map<number, number>();
    for (const type of members) counts.set(type, (counts.get(type) ?? 0) + 1);
    const most = Math.min(...[...counts].map(([type, count]) => Math.floor((demand[type] as number) / count)));
    const column = builder.column(cost, 0, most, integer);
    for (const [type, count] of counts) builder.entry(type, column, count);
    if (limitRow !== undefined) builder.entry(limitRow, column, 1);
  }
  return builder.build();
}
