import { createSeededRandom } from '../../demand/seeded-random.js';
import type { Solver } from '../../solver/solver.js';
import {
  countMembers,
  lowestPlaces,
  mostOf,
  type PartitionColumn,
  type PartitionProblem,
  type Relaxation,
  solveRelaxation,
  toPartitionProgram,
} from './partition-program.js';

/** A partition at least cost, with a proven limit. */
export interface Partition {
  /** How often each column is taken; columns that are not are left out. */
  readonly chosen: ReadonlyMap<number, number>;
  readonly cost: number;
  /** No partition within the limit costs less. */
  readonly bound: number;
  /** Whether no more columns are taken than the limit allows. */
  readonly withinLimit: boolean;
}

type Chosen = Omit<Partition, 'bound'>;

const tolerance = 1e-7;
/** Columns, beside those of the relaxation, among which the first partitions are sought. */
const quickColumns = 1500;
/** Columns beyond which the integer program is not worth its time. */
const mostColumns = 5000;
const maxNodes = 100;
/** Columns among which a window of groups is dealt anew, and members in a window. */
const polishColumns = 20_000;
const windowTypes = 32;
/** Relative gap at which a large problem is not worth an integer program. */
const nearGap = 3e-3;

/**
 * Takes columns so that every type is covered as often as it is there. The linear relaxation is the bound. Whole costs, which
 * leave most columns alike, are sought in two orders of the columns.
 */
export async function solvePartition(problem: PartitionProblem, solver: Solver): Promise<Partition> {
  const relaxed = await solveRelaxation(problem, solver);
  const first = await search(problem, relaxed, solver);
  const isDone =
    first.cost <= first.bound + tolerance || endsAt(problem, first.cost) || first.bound > (problem.enough ?? Number.POSITIVE_INFINITY);
  if (problem.whole !== true || isDone) return first;
  const second = await search(problem, { ...relaxed, reducedCosts: scatter(relaxed.reducedCosts) }, solver);
  return { ...(second.cost < first.cost ? second : first), bound: Math.max(first.bound, second.bound) };
}

/**
 * A first partition is found by diving: again and again what the relaxation takes most of is fixed. Then an integer program
 * chooses among the columns of least reduced cost, and among all that can be part of a better partition.
 */
async function search(problem: PartitionProblem, { value, reducedCosts, support }: Relaxation, solver: Solver): Promise<Partition> {
  const lowest = problem.whole === true ? Math.ceil(value - 1e-6) : value;
  const quick = [...new Set([...problem.start, ...support, ...lowestPlaces(reducedCosts, quickColumns)])];
  let best = await dive(problem, quick, solver);
  const isBest = () => best.withinLimit && best.cost <= lowest + tolerance;
  const isNear = () => best.withinLimit && quick.length > quickColumns && best.cost - lowest <= nearGap * Math.abs(lowest);
  const isDone = () => isBest() || isNear() || (best.withinLimit && endsAt(problem, best.cost));
  const end = (bound: number): Partition => ({ ...best, bound: isBest() ? best.cost : Math.min(best.cost, Math.max(lowest, bound)) });
  if (isDone() || lowest > (problem.enough ?? Number.POSITIVE_INFINITY)) return end(lowest);
  if (quick.length > quickColumns) {
    best = await polish(problem, lowestPlaces(reducedCosts, polishColumns), reducedCosts, best, solver);
    if (isDone()) return end(lowest);
  }

  const first = await solveInteger(problem, quick, lowest, best, solver);
  best = first.better ?? best;
  const useful = lowestPlaces(
    reducedCosts,
    mostColumns + 1,
    (column) => !best.withinLimit || (reducedCosts[column] as number) <= best.cost - lowest + 2 * tolerance,
  );
  if (isDone() || useful.length > mostColumns) return end(lowest);
  const among = [...new Set([...problem.start, ...best.chosen.keys(), ...useful])];
  if (among.every((column) => quick.includes(column))) return end(first.bound);
  const second = await solveInteger(problem, among, lowest, best, solver);
  best = second.better ?? best;
  return end(second.bound);
}

function endsAt({ enough }: PartitionProblem, cost: number): boolean {
  return enough !== undefined && cost <= enough + tolerance;
}

/**
 * Reduced costs of whole costs are mostly alike. Which columns are looked at first must not go by their place then: the first
 * thousands all hold the first type.
 */
function scatter(reducedCosts: Float64Array): Float64Array {
  const draw = createSeededRandom(1);
  return reducedCosts.map((reducedCost) => reducedCost + tolerance * draw.uniform());
}

/** Deals the types of a few groups anew, window by window over the groups, those of largest reduced cost first. */
async function polish(
  problem: PartitionProblem,
  among: readonly number[],
  reducedCosts: Float64Array,
  known: Chosen,
  solver: Solver,
): Promise<Chosen> {
  let groups = [...known.chosen].flatMap(([column, count]) => new Array<number>(count).fill(column));
  groups.sort((a, b) => (reducedCosts[b] as number) - (reducedCosts[a] as number) || a - b);
  const size = Math.max(
    2,
    Math.floor(windowTypes / Math.max(...groups.map((column) => (problem.columns[column] as PartitionColumn).members.length))),
  );
  for (let from = 0; from < groups.length; from += size >> 1) {
    const window = groups.slice(from, from + size);
    const demand = problem.demand.map(() => 0);
    for (const column of window) for (const type of (problem.columns[column] as PartitionColumn).members) (demand[type] as number)++;
    const counts = new Map<number, number>();
    for (const column of window) counts.set(column, (counts.get(column) ?? 0) + 1);
    const part = { ...problem, demand, limit: window.length };
    const fitting = among.filter((column) => mostOf((problem.columns[column] as PartitionColumn).members, demand) > 0);
    const columns = [...new Set([...window, ...fitting.slice(0, quickColumns)])];
    const { better } = await solveInteger(part, columns, -1e30, judge(part, counts), solver);
    if (better === undefined) continue;
    const next = [...better.chosen].flatMap(([column, count]) => new Array<number>(count).fill(column));
    groups = [...groups.slice(0, from), ...next, ...groups.slice(from + window.length)];
  }
  const chosen = new Map<number, number>();
  for (const column of groups) chosen.set(column, (chosen.get(column) ?? 0) + 1);
  return judge(problem, chosen);
}

/** Fixes what the relaxation takes wholly, or else most of, until everything is taken. */
async function dive(problem: PartitionProblem, quick: readonly number[], solver: Solver): Promise<Chosen> {
  const { columns } = problem;
  const left = [...problem.demand];
  let limit = problem.limit ?? Number.POSITIVE_INFINITY;
  const chosen = new Map<number, number>();
  for (;;) {
    const among = quick.filter((column) => mostOf((columns[column] as PartitionColumn).members, left) > 0);
    if (among.length === 0) return judge(problem, chosen);
    const { x } = await solver.solve(toPartitionProgram({ ...problem, demand: left, limit: Math.max(0, limit) }, among, false));
    const whole = among.flatMap((column, k) =>
      (x[k + 1] as number) >= 1 - 1e-6 ? [[column, Math.floor((x[k + 1] as number) + 1e-6)] as const] : [],
    );
    const most = among.reduce((at, _, k) => ((x[k + 1] as number) > (x[at + 1] as number) + 1e-9 ? k : at), 0);
    for (const [column, count] of whole.length > 0 ? whole : [[among[most] as number, 1] as const]) {
      for (const [type, each] of countMembers((columns[column] as PartitionColumn).members))
        left[type] = (left[type] as number) - each * count;
      chosen.set(column, (chosen.get(column) ?? 0) + count);
      limit -= count;
    }
  }
}

function judge({ columns, limit = Number.POSITIVE_INFINITY }: PartitionProblem, chosen: ReadonlyMap<number, number>): Chosen {
  let cost = 0;
  let taken = 0;
  for (const [column, count] of chosen) {
    cost += count * (columns[column] as PartitionColumn).cost;
    taken += count;
  }
  return { chosen, cost, withinLimit: taken <= limit };
}

/** The best partition among some columns, if it is better than one that is known, and the bound for these columns. */
async function solveInteger(
  problem: PartitionProblem,
  among: readonly number[],
  target: number,
  known: Chosen,
  solver: Solver,
): Promise<{ readonly better?: Chosen; readonly bound: number }> {
  const start = Float64Array.from([0, ...among.map((column) => known.chosen.get(column) ?? 0)]);
  const taken = [...known.chosen.values()].reduce((sum, count) => sum + count, 0);
  start[0] = Math.max(0, taken - (problem.limit ?? Number.POSITIVE_INFINITY));
  const { x, bound } = await solver.solve(toPartitionProgram(problem, among, true), {
    maxNodes,
    absoluteGap: problem.whole === true ? 0.999 : tolerance,
    objectiveTarget: target + tolerance,
    start,
  });
  const proven = problem.whole === true ? Math.ceil(bound - 1e-6) : bound;
  if (x.length === 0) return { bound: proven };
  const found = judge(
    problem,
    new Map(among.map((column, k) => [column, Math.round(x[k + 1] as number)] as const).filter(([, count]) => count > 0)),
  );
  const isBetter = found.withinLimit && (!known.withinLimit || found.cost < known.cost);
  return isBetter ? { better: found, bound: proven } : { bound: proven };
}
