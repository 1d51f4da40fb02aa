import { ProgramBuilder } from '../solver/program-builder.js';
import type { LinearProgram, Solver } from '../solver/solver.js';
import { addGpuColumns, type GpuColumns, readPacking } from './pack-gpus.js';
import type { Packing, PackingPool, PackingProblem } from './packing-problem.js';

/** From so many instances of one service on, integer programs round badly: they end up to 1 % above the bound at a million GPUs. */
const bulkFrom = 10_000;
/** Counts are solved for in units that make the largest service about this many instances, where the solver's tolerances are small. */
const scaledInstances = 1000;
/** Services that need fewer instances than this, in such units, are left to the rest: their rows would span too many magnitudes. */
const smallNeed = 1e-3;
/** A count this little below a whole number is that number. */
const rounding = 1e-6;

/** The whole GPUs and instances of a fractional packing, and the small problem that is left. */
export interface Bulk {
  readonly packing: Packing;
  readonly rest: PackingProblem;
}

/**
 * Packs a demand of millions of instances all but a few: the best fractional packing, rounded down. What is left of the
 * demand, the limits and the replicas is a problem of a few instances a service, whose packing is to be added to this one.
 * Undefined when no service needs so many instances, and when the pools do not hold the demand even in fractions.
 */
export async function packInBulk(problem: PackingProblem, solver: Solver): Promise<Bulk | undefined> {
  const need = largestNeed(problem);
  if (need < bulkFrom) return undefined;
  const unit = need / scaledInstances;
  const { program, columns, first } = buildFractions(problem, unit);
  const solution = await solver.solve(program, { method: 'simplex' });
  if (solution.status !== 'optimal') return undefined;
  const whole = (column: number): number => Math.floor((solution.x[column] as number) * unit + rounding);
  const rounded = Float64Array.from(solution.x, (_, column) => whole(column));
  const fraction = (column: number): number => (solution.x[column] as number) * unit - (rounded[column] as number);
  const instances = new Int32Array(problem.serviceCount * problem.sizeCount);
  for (let at = 0; at < instances.length; at++) if ((first[at] as number) >= 0) instances[at] = rounded[first[at] as number] as number;
  const packing = readPacking(problem, columns, rounded, instances);
  if (packing.excess > 0) return undefined;
  fillSlots(problem, packing, (at) => ((first[at] as number) < 0 ? undefined : fraction(first[at] as number)));
  return { packing, rest: subtract(problem, packing) };
}

/** The sum of two packings of the same segments. */
export function addPackings(a: Packing, b: Packing): Packing {
  return {
    instances: a.instances.map((count, at) => count + (b.instances[at] as number)),
    gpus: a.gpus.map((counts, s) => counts.map((count, p) => count + ((b.gpus[s] as Int32Array)[p] as number))),
    cost: a.cost + b.cost,
    excess: a.excess + b.excess,
  };
}

function largestNeed(problem: PackingProblem): number {
  return problem.demand.reduce((most, _, i) => Math.max(most, needOf(problem, i)), 0);
}

/** How many of its fastest instances a service needs; 0 when it can use none. */
function needOf({ sizeCount, throughput, demand }: PackingProblem, i: number): number {
  const best = throughput.subarray(i * sizeCount, (i + 1) * sizeCount).reduce((most, rps) => Math.max(most, rps), 0);
  return best === 0 ? 0 : (demand[i] as number) / best;
}

/** The packing as a linear program: fractions of instances and of GPUs, counted in `unit`. `first` is −1 where a size is of no use. */
function buildFractions(
  problem: PackingProblem,
  unit: number,
): { readonly program: LinearProgram; readonly columns: GpuColumns; readonly first: Int32Array } {
  const { serviceCount, sizeCount, throughput, demand, minCount } = problem;
  const builder = new ProgramBuilder();
  const scaled = {
    ...problem,
    minGpus: problem.minGpus / unit,
    segments: problem.segments.map((segment) => ({ ...segment, limit: segment.limit / unit })),
  };
  const columns = addGpuColumns(builder, scaled, new Float64Array(sizeCount));
  const first = new Int32Array(serviceCount * sizeCount).fill(-1);
  for (let i = 0; i < serviceCount; i++) {
    if (needOf(problem, i) < smallNeed * unit) continue;
    const delivered = builder.row(1, Infinity);
    const counted = builder.row((minCount[i] as number) / unit, Infinity);
    for (let k = 0; k < sizeCount; k++) {
      const rps = throughput[i * sizeCount + k] as number;
      if (rps === 0) continue;
      const column = builder.column(0, 0, Infinity);
      first[i * sizeCount + k] = column;
      builder.entry(delivered, column, (rps * unit) / (demand[i] as number));
      builder.entry(counted, column, 1);
      builder.entry(columns.sizeRow[k] as number, column, 1);
    }
  }
  const { integer: _, ...program } = builder.build();
  return { program, columns, first };
}

/** Rounding down GPUs and instances apart leaves a few too many or too few instances for the slots: changes counts in place. */
function fillSlots(
  { serviceCount, sizeCount, segments }: PackingProblem,
  packing: Packing,
  fractionOf: (at: number) => number | undefined,
): void {
  for (let k = 0; k < sizeCount; k++) {
    let spare = 0;
    for (const [s, { layouts }] of segments.entries()) {
      for (const [p, layout] of layouts.entries()) spare += ((packing.gpus[s] as Int32Array)[p] as number) * (layout[k] as number);
    }
    const usable = Array.from({ length: serviceCount }, (_, i) => i * sizeCount + k).flatMap((at) => {
      const fraction = fractionOf(at);
      return fraction === undefined ? [] : [{ at, fraction }];
    });
    for (const { at } of usable) spare -= packing.instances[at] as number;
    usable.sort((a, b) => b.fraction - a.fraction || a.at - b.at);
    for (const { at, fraction } of usable) {
      if (spare <= 0 || fraction <= rounding) break;
      (packing.instances[at] as number)++;
      spare--;
    }
    for (const { at } of usable.reverse()) {
      if (spare >= 0) break;
      const given = Math.min(-spare, packing.instances[at] as number);
      (packing.instances[at] as number) -= given;
      spare += given;
    }
  }
}

function subtract(problem: PackingProblem, { instances, gpus }: Packing): PackingProblem {
  const { serviceCount, sizeCount, throughput } = problem;
  const used = gpus.map((counts) => counts.reduce((sum, count) => sum + count, 0));
  const minCount = problem.minCount.slice();
  const demand = problem.demand.map((rate, i) => {
    let delivered = 0;
    let count = 0;
    let least = Infinity;
    for (let k = 0; k < sizeCount; k++) {
      const rps = throughput[i * sizeCount + k] as number;
      delivered += (instances[i * sizeCount + k] as number) * rps;
      count += instances[i * sizeCount + k] as number;
      if (rps > 0) least = Math.min(least, rps);
    }
    minCount[i] = Math.max(0, (minCount[i] as number) - count);
    // A service that only lacks replicas must still count as one that wants something.
    return rate === 0 ? 0 : Math.max(rate - delivered, minCount[i] > 0 ? least * rounding : 0);
  });
  for (let i = 0; i < serviceCount; i++) if (demand[i] === 0) minCount[i] = 0;
  return {
    ...problem,
    demand,
    minCount,
    minGpus: Math.max(0, problem.minGpus - used.reduce((sum, count) => sum + count, 0)),
    segments: problem.segments.map((segment, s) => ({ ...segment, limit: segment.limit - (used[s] as number) })),
    pools: problem.pools.map((pool, g): PackingPool => {
      const taken = problem.segments.reduce((sum, segment, s) => (segment.pool === g ? sum + (used[s] as number) : sum), 0);
      return { ...pool, limit: pool.limit - taken };
    }),
  };
}
