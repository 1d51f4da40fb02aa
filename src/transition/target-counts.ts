import { isUsed } from './gpu-classes.js';
import type { LayoutOption } from './layout-options.js';
import type { PlanList, ServiceItems, TargetProblem } from './target-problem.js';
import type { TargetProgram } from './target-program.js';

/** A target in numbers: how many GPUs end how, and how many pods of each kind every service has. */
export interface TargetCounts {
  /** GPUs of each option, by class. */
  readonly options: readonly Int32Array[];
  /** GPUs left alone, by class. */
  readonly untouched: Int32Array;
  /** Empty GPUs of each layout, by pool. */
  readonly fresh: readonly Int32Array[];
  /** Pods of each item, by service; empty for one that gets nothing. Pods that stay although no plan needs them are counted. */
  readonly pods: readonly Int32Array[];
}

/** Reads a target from the solution of its program. */
export function readCounts(problem: TargetProblem, program: TargetProgram, { plans }: PlanList, x: Float64Array): TargetCounts {
  const at = (column: number): number => (column < 0 ? 0 : Math.round(x[column] as number));
  const pods = problem.services.map((service) => new Int32Array(service?.items.length ?? 0));
  for (const [p, { service, counts }] of plans.entries()) {
    if (at(program.planColumn[p] as number) !== 1) continue;
    (pods[service] as Int32Array).set(counts);
  }
  for (const [i, columns] of program.itemColumn) (pods[i] as Int32Array).set(Int32Array.from(columns, at));
  for (const [i, service] of problem.services.entries()) {
    const counts = pods[i] as Int32Array;
    for (const [j, { type }] of (service?.items ?? []).entries()) {
      if (type >= 0) (counts[j] as number) += at(program.spareColumn[type] as number);
    }
    for (const [f, { newItem, keptItem }] of (service?.fixed ?? []).entries()) {
      const swapped = at(program.swapColumn.get(i)?.[f] ?? -1);
      if (swapped === 0) continue;
      (counts[newItem] as number) -= swapped;
      (counts[keptItem] as number) += swapped;
    }
  }
  return {
    options: program.optionColumn.map((columns) => Int32Array.from(columns, at)),
    untouched: Int32Array.from(program.untouchedColumn, at),
    fresh: program.freshColumn.map((columns) => Int32Array.from(columns, at)),
    pods,
  };
}

/** New pods of a target. */
export function countPodStarts(problem: TargetProblem, { pods }: TargetCounts): number {
  return problem.services.reduce((sum, service, i) => sum + (service === undefined ? 0 : countStarts(service, pods[i] as Int32Array)), 0);
}

/** The number of new pods among so many of each item. */
export function countStarts({ items }: ServiceItems, counts: Int32Array): number {
  return items.reduce((sum, { type }, j) => (type < 0 ? sum + (counts[j] as number) : sum), 0);
}

/** Instances that a target needs and that are not there. */
export function countCreations(problem: TargetProblem, counts: TargetCounts): number {
  const missing = new Float64Array(problem.packing.sizeCount);
  for (const [i, service] of problem.services.entries()) {
    for (const [j, { size }] of (service?.items ?? []).entries()) (missing[size] as number) += (counts.pods[i] as Int32Array)[j] as number;
  }
  const take = (option: LayoutOption | undefined, gpus: number): void => {
    for (const [k, count] of (option?.present ?? []).entries()) (missing[k] as number) -= gpus * count;
  };
  for (const [c, options] of problem.options.entries()) {
    take(problem.untouched[c], counts.untouched[c] as number);
    for (const [o, option] of options.entries()) take(option, (counts.options[c] as Int32Array)[o] as number);
  }
  return missing.reduce((sum, count) => sum + Math.max(0, count), 0);
}

/** GPUs that change: those of the state that are not left alone, and empty ones that no GPU given up can stand for. */
export function countTouched(problem: TargetProblem, counts: TargetCounts): number {
  const touched = problem.packing.pools.map(() => 0);
  const spare = problem.packing.pools.map((_, g) => -sum(counts.fresh[g] as Int32Array));
  for (const [c, group] of problem.classes.entries()) {
    const used = sum(counts.options[c] as Int32Array);
    const alone = counts.untouched[c] as number;
    if (!isUsed(group)) (touched[group.pool] as number) += used;
    else {
      (touched[group.pool] as number) += group.gpus.length - alone;
      (spare[group.pool] as number) += group.gpus.length - alone - used;
    }
  }
  return touched.reduce((total, count, g) => total + count + Math.max(0, -(spare[g] as number)), 0);
}

function sum(counts: Int32Array): number {
  return counts.reduce((total, count) => total + count, 0);
}
