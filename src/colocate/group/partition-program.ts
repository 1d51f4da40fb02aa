import { ProgramBuilder } from '../../solver/program-builder.js';
import type { LinearProgram, Solver } from '../../solver/solver.js';

/** A column of a partition: how many of each type it takes, and what it costs. */
export interface PartitionColumn {
  /** Indices of types, one may repeat. */
  readonly members: readonly number[];
  readonly cost: number;
}

/** What is to be partitioned. */
export interface PartitionProblem {
  readonly columns: readonly PartitionColumn[];
  /** How many of each type there are; all must be taken. A column with that type alone must be there. */
  readonly demand: readonly number[];
  /** Most columns that should be taken; no limit when absent. */
  readonly limit?: number;
  /** Indices of columns that make up some partition, whatever the limit: where the search begins. */
  readonly start: readonly number[];
  /** Costs are whole numbers. */
  readonly whole?: boolean;
  /** A cost at which the search may end; it also ends where none so low can be had. */
  readonly enough?: number;
}

/** A program over some of the columns. Its first column counts what is taken beyond the limit, at a price that no column is worth. */
export function toPartitionProgram(problem: PartitionProblem, among: readonly number[], integer: boolean): LinearProgram {
  const { columns, demand, limit } = problem;
  const builder = new ProgramBuilder();
  for (const count of demand) builder.row(count, count);
  const limitRow = builder.row(Number.NEGATIVE_INFINITY, limit ?? Number.POSITIVE_INFINITY);
  builder.entry(limitRow, builder.column(excessPrice(problem), 0, Number.POSITIVE_INFINITY, integer), -1);
  for (const index of among) {
    const { members, cost } = columns[index] as PartitionColumn;
    const column = builder.column(cost, 0, mostOf(members, demand), integer);
    for (const [type, count] of countMembers(members)) builder.entry(type, column, count);
    builder.entry(limitRow, column, 1);
  }
  return builder.build();
}

/** How often members can be taken from what is demanded. */
export function mostOf(members: readonly number[], demand: readonly number[]): number {
  let most = Number.POSITIVE_INFINITY;
  for (const [type, count] of countMembers(members)) most = Math.min(most, Math.floor((demand[type] as number) / count));
  return most;
}

/** Each type of the members with how often it comes. */
export function countMembers(members: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const type of members) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}

function excessPrice({ columns }: PartitionProblem): number {
  return 10 * columns.reduce((most, { cost }) => Math.max(most, Math.abs(cost)), 1e-3);
}

/** The linear relaxation of a partition. */
export interface Relaxation {
  /** No partition within the limit costs less. */
  readonly value: number;
  readonly reducedCosts: Float64Array;
  /** Columns that the relaxation takes. */
  readonly support: readonly number[];
}

const tolerance = 1e-7;
/** Columns taken into the program at once. */
const batch = 500;
/** Columns of each type at the start, so that the first prices are not wild. */
const firstOfEachType = 10;

/** Prices columns into a linear program until none would lower its cost. */
export async function solveRelaxation(problem: PartitionProblem, solver: Solver): Promise<Relaxation> {
  const { columns, demand } = problem;
  const taken = [...new Set([...problem.start, ...cheapestOfEachType(problem)])];
  const isTaken = new Uint8Array(columns.length);
  for (const column of taken) isTaken[column] = 1;
  const reduce = createPricing(columns);
  const session = await solver.open(toPartitionProgram(problem, taken, false));
  try {
    for (;;) {
      const { objective, rowDual, x } = await session.solve();
      const reducedCosts = reduce(rowDual, rowDual[demand.length] as number);
      const better = lowestPlaces(reducedCosts, batch, (column) => isTaken[column] === 0 && (reducedCosts[column] as number) < -tolerance);
      if (better.length === 0) return { value: objective, reducedCosts, support: taken.filter((_, k) => (x[k + 1] as number) > tolerance) };
      const added = toPartitionProgram(problem, better, false);
      const { starts, indices, values } = added.columns;
      const from = starts[1] as number;
      await session.addColumns(
        { starts: starts.slice(1).map((start) => start - from), indices: indices.slice(from), values: values.slice(from) },
        added.cost.slice(1),
        added.colLower.slice(1),
        added.colUpper.slice(1),
      );
      for (const column of better) isTaken[column] = 1;
      taken.push(...better);
    }
  } finally {
    await session.close();
  }
}

/** Reduced costs of all columns at given prices, in one array that the next call writes anew: there may be a million columns. */
function createPricing(columns: readonly PartitionColumn[]): (prices: Float64Array, limitPrice: number) => Float64Array {
  const ends = new Int32Array(columns.length);
  const flat = new Int32Array(columns.reduce((sum, { members }) => sum + members.length, 0));
  let end = 0;
  columns.forEach(({ members }, column) => {
    for (const type of members) flat[end++] = type;
    ends[column] = end;
  });
  const costs = Float64Array.from(columns, ({ cost }) => cost);
  const reduced = new Float64Array(columns.length);
  return (prices, limitPrice) => {
    let at = 0;
    for (let column = 0; column < reduced.length; column++) {
      let rest = (costs[column] as number) - limitPrice;
      for (; at < (ends[column] as number); at++) rest -= prices[flat[at] as number] as number;
      reduced[column] = rest;
    }
    return reduced;
  };
}

/** Places of the lowest values that may be taken, lowest first, of equal ones the first. */
export function lowestPlaces(values: Float64Array, count: number, may: (place: number) => boolean = () => true): readonly number[] {
  const eligible = new Float64Array(values.length);
  let all = 0;
  for (let place = 0; place < values.length; place++) if (may(place)) eligible[all++] = values[place] as number;
  const limit = all <= count ? Number.POSITIVE_INFINITY : (eligible.subarray(0, all).sort()[count - 1] as number);
  const below: number[] = [];
  const equal: number[] = [];
  for (let place = 0; place < values.length; place++) {
    const value = values[place] as number;
    if (value > limit || !may(place)) continue;
    if (value < limit) below.push(place);
    else if (equal.length < count) equal.push(place);
  }
  below.sort((a, b) => (values[a] as number) - (values[b] as number) || a - b);
  return [...below, ...equal].slice(0, count);
}

function cheapestOfEachType({ columns, demand }: PartitionProblem): readonly number[] {
  const perMember = Float64Array.from(columns, ({ cost, members }) => cost / members.length);
  const best = demand.map((): number[] => []);
  columns.forEach(({ members }, column) => {
    for (const type of new Set(members)) {
      const list = best[type] as number[];
      const value = perMember[column] as number;
      if (list.length === firstOfEachType && value >= (perMember[list.at(-1) as number] as number)) continue;
      const place = list.findIndex((other) => (perMember[other] as number) > value);
      list.splice(place < 0 ? list.length : place, 0, column);
      if (list.length > firstOfEachType) list.pop();
    }
  });
  return best.flat();
}
