import { entryOf } from '../demand/entry-of.js';
import type { ProgramBuilder } from '../solver/program-builder.js';
import type { PlanItem, TargetProblem } from './target-problem.js';

/** Where the pods of a service that is to be kept apart can have their homes. */
interface Homes {
  readonly service: number;
  /** At most as many homes by pods of a type as stay. */
  readonly stayRow: ReadonlyMap<number, number>;
  /** At most as many homes of a size as new pods of it. */
  readonly newRow: ReadonlyMap<number, number>;
  /** At least as many homes as replicas. */
  readonly spreadRow: number;
}

/** What GPUs that end alike offer. */
export interface EndingGpus {
  /** Slots of each size. */
  readonly counts: Int32Array;
  /** Pods by type that can stay. */
  readonly matches?: ReadonlyMap<number, number>;
  /** Whether all of these pods do stay. */
  readonly isUntouched?: boolean;
}

/**
 * Rows of a target program that hold for replicas on different GPUs: each service of `apart` has homes on so many GPUs, at most one on
 * each, by a pod that stays or by a new one in a slot that no pod keeps. Equal GPUs can be dealt such homes in numbers, because a
 * bipartite graph has an edge colouring in as many colours as its largest degree (König).
 */
export class HomeRows {
  readonly #builder: ProgramBuilder;
  readonly #problem: TargetProblem;
  readonly #typeRow: Int32Array;
  readonly #homes: readonly Homes[];

  /** `typeRow` limits the pods of each type that stay. */
  constructor(builder: ProgramBuilder, problem: TargetProblem, typeRow: Int32Array) {
    this.#builder = builder;
    this.#problem = problem;
    this.#typeRow = typeRow;
    this.#homes = [...problem.apart].map((service): Homes => {
      const { items = [], minCount = 1 } = problem.services[service] ?? {};
      const sizes = new Set(items.flatMap(({ type, size }) => (type < 0 ? [size] : [])));
      const types = new Set(items.flatMap(({ type }) => (type < 0 ? [] : [type])));
      return {
        service,
        stayRow: new Map([...types].map((type) => [type, builder.row(-Infinity, 0)])),
        newRow: new Map([...sizes].map((size) => [size, builder.row(-Infinity, 0)])),
        spreadRow: builder.row(minCount, Infinity),
      };
    });
  }

  /** GPUs that end alike, so many as the column says. */
  addGpus(column: number, { counts, matches = new Map(), isUntouched = false }: EndingGpus): void {
    const newHomes = new Map<number, number[]>();
    const stayHomes = new Map<number, number>();
    for (const { stayRow, newRow, spreadRow } of this.#homes) {
      const gpuRow = this.#builder.row(-Infinity, 0);
      this.#builder.entry(gpuRow, column, -1);
      const addHome = (limits: readonly number[]): number => {
        const home = this.#builder.column(0, 0, Infinity, true);
        for (const row of [...limits, spreadRow, gpuRow]) this.#builder.entry(row, home, 1);
        return home;
      };
      for (const [type, count] of matches) {
        const row = stayRow.get(type);
        if (row === undefined) continue;
        // On a GPU that is left alone all of them stay, a home or not.
        stayHomes.set(type, addHome(isUntouched ? [] : [row]));
        if (isUntouched) this.#builder.entry(row, column, count);
      }
      for (const [size, row] of newRow)
        if (!isUntouched && (counts[size] as number) > 0) entryOf(newHomes, size, () => []).push(addHome([row]));
    }
    for (const [size, homes] of newHomes) this.#limitToFree(column, counts[size] as number, size, matches, homes, stayHomes);
  }

  /** New pods have their homes in slots that no pod keeps: a pod that goes from there is one less of its type that can stay. */
  #limitToFree(
    column: number,
    slots: number,
    size: number,
    matches: ReadonlyMap<number, number>,
    homes: readonly number[],
    stayHomes: ReadonlyMap<number, number>,
  ): void {
    const kept = [...matches].filter(([type]) => this.#problem.fleet.types.list[type]?.size === size);
    const keptSlots = kept.reduce((sum, [, count]) => sum + count, 0);
    if (keptSlots === 0 && homes.length <= slots) return;
    const row = this.#builder.row(-Infinity, 0);
    this.#builder.entry(row, column, keptSlots - slots);
    for (const home of homes) this.#builder.entry(row, home, 1);
    for (const [type, count] of kept) {
      const going = this.#builder.column(0, 0, Infinity, true);
      const atMost = this.#builder.row(-Infinity, 0);
      this.#builder.entry(atMost, going, 1);
      this.#builder.entry(atMost, column, -count);
      const stays = stayHomes.get(type);
      if (stays !== undefined) this.#builder.entry(atMost, stays, 1);
      this.#builder.entry(row, going, -1);
      this.#builder.entry(this.#typeRow[type] as number, going, 1);
    }
  }

  /** Pods of a service, each item with its count, for each unit of a column. */
  addPods(column: number, service: number, pods: readonly (readonly [item: Pick<PlanItem, 'type' | 'size'>, count: number])[]): void {
    const homes = this.#homes.find((one) => one.service === service);
    if (homes === undefined) return;
    const sums = new Map<number, number>();
    for (const [{ type, size }, count] of pods) {
      const row = (type >= 0 ? homes.stayRow.get(type) : homes.newRow.get(size)) as number;
      sums.set(row, (sums.get(row) ?? 0) + count);
    }
    for (const [row, count] of sums) this.#builder.entry(row, column, -count);
  }
}
