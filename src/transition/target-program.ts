import { createSeededRandom } from '../demand/seeded-random.js';
import { ProgramBuilder } from '../solver/program-builder.js';
import { roundingShare } from './bounded-cover.js';
import { isUsed } from './gpu-classes.js';
import { HomeRows } from './home-rows.js';
import type { LayoutOption } from './layout-options.js';
import type { PlanList, ServiceItems, TargetProblem } from './target-problem.js';

/** What a program minimises, given that the aims before it are met at their best. */
export type Aim =
  | { readonly kind: 'pod-starts' }
  | { readonly kind: 'creations'; readonly podStarts: number }
  | { readonly kind: 'touched'; readonly podStarts: number; readonly creations: number }
  /** Any target as good, by chance: which one depends on the seed. */
  | { readonly kind: 'variant'; readonly podStarts: number; readonly creations: number; readonly seed: number }
  /** The most valuable free slots, by size, on the GPUs there are; starts only where they gain something. */
  | { readonly kind: 'room'; readonly podStarts: number; readonly worth: Float64Array };

/** A program with the places of what is read from its solution. */
export interface TargetProgram {
  readonly builder: ProgramBuilder;
  readonly sizeRow: Int32Array;
  readonly typeRow: Int32Array;
  readonly planRow: Int32Array;
  /** Column of each option of each class. */
  readonly optionColumn: readonly Int32Array[];
  /** Column of the untouched GPUs of each class; -1 without. */
  readonly untouchedColumn: Int32Array;
  /** Column of each layout of the empty GPUs, by pool. */
  readonly freshColumn: readonly Int32Array[];
  /** Column of pods of each type that stay although no plan needs them; -1 without. */
  readonly spareColumn: Int32Array;
  /** Column of each swap of a new pod of a fixed plan for one that stays, by service and fixed count; -1 without. */
  readonly swapColumn: ReadonlyMap<number, Int32Array>;
  readonly planColumn: Int32Array;
  /** Column of each item of an open service. */
  readonly itemColumn: ReadonlyMap<number, Int32Array>;
}

/** What a pod start costs beside free slots, whose worth is a whole number. */
const roomStartCost = 1e-3;

/** Cost of one new pod, instance or GPU in the aim. */
interface Costs {
  readonly start: number;
  readonly creation: number;
  readonly touched: number;
}

/**
 * The program of the target of least change: GPUs of each class end in one of their options or are given up, empty GPUs are
 * cut, every service takes one of its plans, and the GPUs cost at most `budget`. Pods that stay are limited by the matches of
 * the options chosen. Without plans for a service that is not open the program has no answer.
 */
export function buildTargetProgram(problem: TargetProblem, budget: number, { plans, open }: PlanList, aim: Aim): TargetProgram {
  const { packing, fleet, classes, options } = problem;
  const leavesAlone = aim.kind === 'touched' || aim.kind === 'variant';
  const costs: Costs = {
    start: aim.kind === 'pod-starts' ? 1 : aim.kind === 'room' ? roomStartCost : 0,
    creation: aim.kind === 'creations' ? 1 : 0,
    touched: leavesAlone ? 1 : 0,
  };
  const random = aim.kind === 'variant' ? createSeededRandom(aim.seed) : undefined;
  const chance = (): number => (random === undefined ? 0 : random.uniform());
  const builder = new ProgramBuilder();
  const sizeRow = Int32Array.from({ length: packing.sizeCount }, () => builder.row(-Infinity, 0));
  const typeRow = Int32Array.from(fleet.types.list, () => builder.row(-Infinity, 0));
  const planRow = Int32Array.from(problem.services, (items, i) => (items === undefined || open.has(i) ? -1 : builder.row(1, 1)));
  const poolRow = packing.pools.map(({ limit }) => (limit === Infinity ? -1 : builder.row(-Infinity, limit)));
  const budgetRow = builder.row(-Infinity, budget);
  const createdRow =
    aim.kind === 'pod-starts' || aim.kind === 'room' ? undefined : createCreationRows(builder, packing.sizeCount, aim, costs);
  const startRow = aim.kind === 'pod-starts' ? -1 : builder.row(-Infinity, aim.podStarts);
  // A GPU that is not touched keeps all its pods: those that stay are at least as many.
  const stayRow = leavesAlone ? fleet.types.list.map(() => builder.row(0, Infinity)) : undefined;

  // Empty GPUs are taken from those given up as long as there are any; only the others are touched in addition.
  const reuseRow = packing.pools.map((_, g) => {
    if (!leavesAlone) return -1;
    const used = classes.reduce((sum, group) => (group.pool === g && isUsed(group) ? sum + group.gpus.length : sum), 0);
    const row = builder.row(-Infinity, used);
    builder.entry(row, builder.column(costs.touched, 0, Infinity), -1);
    return row;
  });

  const addGpu = (pool: number, cost: number, upper: number, replaces: boolean): number => {
    const column = builder.column(cost, 0, upper, true);
    if (replaces && (reuseRow[pool] as number) >= 0) builder.entry(reuseRow[pool] as number, column, 1);
    builder.entry(budgetRow, column, packing.pools[pool]?.cost ?? 0);
    if ((poolRow[pool] as number) >= 0) builder.entry(poolRow[pool] as number, column, 1);
    return column;
  };
  const addOption = (column: number, option: LayoutOption): void => {
    for (const [k, count] of option.counts.entries()) builder.entry(sizeRow[k] as number, column, -count);
    for (const [type, count] of option.matches) builder.entry(typeRow[type] as number, column, -count);
    if (createdRow !== undefined) {
      for (const [k, count] of option.present.entries()) builder.entry(createdRow[k] as number, column, -count);
    }
  };

  const homes = new HomeRows(builder, problem, typeRow);
  const roomOf = ({ counts }: LayoutOption): number =>
    aim.kind === 'room' ? counts.reduce((sum, count, k) => sum + count * (aim.worth[k] as number), 0) : 0;

  const untouchedColumn = new Int32Array(classes.length).fill(-1);
  const optionColumn = classes.map((group, c) => {
    const row = builder.row(aim.kind === 'room' ? group.gpus.length : -Infinity, group.gpus.length);
    const untouched = problem.untouched[c];
    if (stayRow !== undefined && untouched !== undefined) {
      const column = addGpu(group.pool, -costs.touched, group.gpus.length, true);
      builder.entry(row, column, 1);
      addOption(column, untouched);
      homes.addGpus(column, { ...untouched, isUntouched: true });
      for (const [type, count] of untouched.matches) builder.entry(stayRow[type] as number, column, -count);
      untouchedColumn[c] = column;
    }
    const wasUsed = isUsed(group);
    return Int32Array.from(options[c] as readonly LayoutOption[], (option) => {
      const column = addGpu(group.pool, (wasUsed ? 0 : costs.touched) + chance() - roomOf(option), group.gpus.length, wasUsed);
      builder.entry(row, column, 1);
      addOption(column, option);
      homes.addGpus(column, option);
      return column;
    });
  });
  const freshColumn = packing.pools.map((_, g) => {
    const { layouts } = packing.segments[g] as (typeof packing.segments)[number];
    return Int32Array.from(layouts, (layout) => {
      const column = addGpu(g, chance(), aim.kind === 'room' ? 0 : Infinity, true);
      for (const [k, count] of layout.entries()) builder.entry(sizeRow[k] as number, column, -count);
      homes.addGpus(column, { counts: layout });
      return column;
    });
  });

  const addPod = (column: number, size: number, count: number): void => {
    builder.entry(sizeRow[size] as number, column, count);
    if (createdRow !== undefined) builder.entry(createdRow[size] as number, column, count);
  };
  const addStay = (column: number, type: number, count: number): void => {
    builder.entry(typeRow[type] as number, column, count);
    if (stayRow !== undefined) builder.entry(stayRow[type] as number, column, count);
  };
  const spareColumn = new Int32Array(fleet.types.list.length).fill(-1);
  const swapColumn = new Map<number, Int32Array>();
  for (const [i, service] of problem.services.entries()) {
    if (service === undefined) continue;
    const { items, fixed } = service;
    if (fixed !== undefined) {
      swapColumn.set(
        i,
        Int32Array.from(fixed, ({ newItem, keptItem, count }) => {
          if (keptItem < 0) return -1;
          const kept = items[keptItem] as (typeof items)[number];
          const { type, limit } = kept;
          const column = builder.column(-costs.start, 0, Math.min(count, limit), true);
          addStay(column, type, 1);
          homes.addPods(column, i, [
            [kept, 1],
            [items[newItem] as (typeof items)[number], -1],
          ]);
          if (startRow >= 0) builder.entry(startRow, column, -1);
          return column;
        }),
      );
    } else if (leavesAlone) {
      for (const { type, size, limit } of items) {
        if (type < 0) continue;
        const column = builder.column(0, 0, limit, true);
        addPod(column, size, 1);
        addStay(column, type, 1);
        homes.addPods(column, i, [[{ type, size }, 1]]);
        spareColumn[type] = column;
      }
    }
  }
  const planColumn = Int32Array.from(plans, (plan) => {
    const service = problem.services[plan.service] as NonNullable<TargetProblem['services'][number]>;
    const column = builder.column(plan.starts * costs.start + chance(), 0, Infinity, true);
    builder.entry(planRow[plan.service] as number, column, 1);
    if (startRow >= 0) builder.entry(startRow, column, plan.starts);
    const perSize = new Int32Array(packing.sizeCount);
    homes.addPods(
      column,
      plan.service,
      service.items.map((item, j) => [item, plan.counts[j] as number]),
    );
    for (const [j, { size, type }] of service.items.entries()) {
      const count = plan.counts[j] as number;
      (perSize[size] as number) += count;
      if (type >= 0) addStay(column, type, count);
    }
    for (const [k, count] of perSize.entries()) addPod(column, k, count);
    return column;
  });
  const itemColumn = new Map<number, Int32Array>();
  for (const i of open) {
    const service = problem.services[i] as ServiceItems;
    const rpsRow = builder.row(1 - roundingShare, Infinity);
    const countRow = builder.row(service.minCount, Infinity);
    const columns = service.items.map(({ size, type, limit, point }) => {
      const most = Math.min(limit, Math.max(Math.ceil(service.demand / point.plannedRps), service.minCount));
      const column = builder.column(chance() + (type < 0 ? costs.start : 0), 0, most, true);
      builder.entry(rpsRow, column, point.plannedRps / service.demand);
      builder.entry(countRow, column, 1);
      if (startRow >= 0 && type < 0) builder.entry(startRow, column, 1);
      addPod(column, size, 1);
      if (type >= 0) addStay(column, type, 1);
      homes.addPods(column, i, [[{ type, size }, 1]]);
      return column;
    });
    itemColumn.set(i, Int32Array.from(columns));
  }
  return {
    builder,
    sizeRow,
    typeRow,
    planRow,
    optionColumn,
    untouchedColumn,
    freshColumn,
    spareColumn,
    swapColumn,
    planColumn,
    itemColumn,
  };
}

/** Per size: pods beyond the instances that are there already ask for a new one. */
function createCreationRows(builder: ProgramBuilder, sizeCount: number, aim: Aim, costs: Costs): Int32Array {
  const rows = Int32Array.from({ length: sizeCount }, () => builder.row(-Infinity, 0));
  const limit = aim.kind === 'touched' || aim.kind === 'variant' ? builder.row(-Infinity, aim.creations) : -1;
  for (const row of rows) {
    const column = builder.column(costs.creation, 0, Infinity);
    builder.entry(row, column, -1);
    if (limit >= 0) builder.entry(limit, column, 1);
  }
  return rows;
}
