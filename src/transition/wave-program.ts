import { ProgramBuilder } from '../solver/program-builder.js';
import type { SolveOptions, Solver } from '../solver/solver.js';
import type { Content, MoveProblem, StopGap } from './move-problem.js';
import type { WaveFreedom, WavePlan } from './wave-plan.js';

/** What solving for a number of waves gave: an order, the proof that there is none, or neither. */
export type WaveAnswer =
  | { readonly kind: 'order'; readonly plan: WavePlan }
  | { readonly kind: 'impossible' }
  | { readonly kind: 'unknown' };

const stopGapCost = 100;
const extraCost = 1;
/** For each place that is freed before the first pods start: others can be used at once. Less than a pod that starts a wave earlier gains. */
const freedFirstCost = 1e-4;
/** Per request per second and wave. */
const dipCost = 1000;

type Term = readonly [column: number, factor: number];

/** Looks for an order of so many waves. */
export async function solveWaves(
  move: MoveProblem,
  waves: number,
  freedom: WaveFreedom,
  solver: Solver,
  options: SolveOptions,
): Promise<WaveAnswer> {
  const program = new WaveProgram(move, waves, freedom);
  const solution = await solver.solve(program.builder.build(), options);
  if (solution.status === 'infeasible') return { kind: 'impossible' };
  const isFound = solution.status === 'optimal' || solution.status === 'feasible';
  return isFound ? { kind: 'order', plan: program.read(solution.x) } : { kind: 'unknown' };
}

class WaveProgram {
  readonly builder = new ProgramBuilder();
  readonly #move: MoveProblem;
  readonly #waves: number;
  /** By slot: column per wave, absent where it is open from the start or only with its content on an empty GPU. */
  readonly #open: (readonly number[] | undefined)[] = [];
  /** By content: column per wave of making it on an empty GPU. */
  readonly #made: (readonly number[] | undefined)[] = [];
  readonly #left: (readonly number[])[] = [];
  readonly #started: (readonly number[])[] = [];
  readonly #gaps: { gap: StopGap; running: readonly number[]; ready: readonly number[] }[] = [];
  readonly #dips = new Map<number, readonly number[]>();
  readonly #extras: { pool: number; layout: number; column: number }[] = [];

  constructor(move: MoveProblem, waves: number, { stopGaps, dips }: WaveFreedom) {
    this.#move = move;
    this.#waves = waves;
    const stops: Term[][][] = move.leaving.map(() => []);
    this.#addOpenings(stops);
    this.#addLeaving(stops);
    this.#addArrivals();
    const tight = this.#tightServices(stops);
    if (stopGaps) this.#addStopGaps(tight);
    this.#addRoom();
    this.#addBudget();
    this.#addFloors(stops, tight, dips);
  }

  read(x: Float64Array): WavePlan {
    const at = (column: number): number => Math.round(x[column] as number);
    const first = (columns: readonly number[] | undefined): number => {
      const wave = columns?.findIndex((column) => at(column) > 0) ?? -1;
      return wave < 0 ? Infinity : wave + 1;
    };
    return {
      waves: this.#waves,
      started: this.#started.map((columns) => Int32Array.from(columns, at)),
      opens: Float64Array.from(this.#move.slots, (slot, s) => (this.#isOpenAtOnce(slot.content, slot.blockers) ? 1 : first(this.#open[s]))),
      moves: Float64Array.from(this.#move.contents, (_, j) => first(this.#made[j])),
      leaves: Float64Array.from(this.#move.emptying, (_, e) => first(this.#left[e])),
      gaps: this.#gaps.map(({ gap, running }) => ({ gap, running: Int32Array.from(running, at) })),
      extras: this.#extras.map(({ pool, layout, column }) => ({ pool, layout, count: at(column) })),
      dips: new Map([...this.#dips].map(([i, columns]) => [i, Math.max(...columns.map((column) => x[column] as number))])),
    };
  }

  #isOpenAtOnce(content: number, blockers: readonly number[]): boolean {
    return (this.#move.contents[content] as Content).isFixed && blockers.length === 0;
  }

  /** One column a wave that never goes back. */
  #growing(upper: number, cost: (wave: number) => number = () => 0): number[] {
    const columns = Array.from({ length: this.#waves }, (_, w) => this.builder.column(cost(w), 0, upper, true));
    for (let w = 1; w < this.#waves; w++) {
      const row = this.builder.row(0, Infinity);
      this.builder.entry(row, columns[w] as number, 1);
      this.builder.entry(row, columns[w - 1] as number, -1);
    }
    return columns;
  }

  #atMost(terms: readonly Term[], upper: number): void {
    const row = this.builder.row(-Infinity, upper);
    for (const [column, factor] of terms) this.builder.entry(row, column, factor);
  }

  #addOpenings(stops: Term[][][]): void {
    const { contents, slots } = this.#move;
    for (const [j, { host, isFixed }] of contents.entries()) this.#made[j] = host !== undefined && isFixed ? undefined : this.#growing(1);
    for (const [s, { content, blockers }] of slots.entries()) {
      if (contents[content]?.host === undefined || this.#isOpenAtOnce(content, blockers)) continue;
      const columns = this.#growing(1, (w) => (w === 0 && blockers.length > 0 ? freedFirstCost : 0));
      this.#open[s] = columns;
      for (const p of blockers) stops[p]?.push(columns.map((column): Term => [column, 1]));
      const made = this.#made[content];
      if (made !== undefined)
        this.#atMost(
          [
            [columns.at(-1) as number, 1],
            [made.at(-1) as number, 1],
          ],
          1,
        );
    }
  }

  #addLeaving(stops: Term[][][]): void {
    for (const [e, { pods, content }] of this.#move.emptying.entries()) {
      const columns = this.#growing(1);
      this.#left[e] = columns;
      for (const p of pods) stops[p]?.push(columns.map((column): Term => [column, 1]));
      const made = content < 0 ? undefined : this.#made[content];
      if (made !== undefined)
        this.#atMost(
          [
            [columns.at(-1) as number, 1],
            [made.at(-1) as number, -1],
          ],
          0,
        );
    }
  }

  #addArrivals(): void {
    for (const { count } of this.#move.arrivals) {
      const columns = this.#growing(count, (w) => (w === this.#waves - 1 ? 0 : -1e-3));
      const row = this.builder.row(count, count);
      this.builder.entry(row, columns.at(-1) as number, 1);
      this.#started.push(columns);
    }
  }

  /** Services that would fall below their floor if all that may stop early did. */
  #tightServices(stops: readonly Term[][][]): Set<number> {
    const rest = this.#move.staying.slice();
    for (const [p, { type, rps }] of this.#move.leaving.entries()) {
      if (type.service >= 0 && (stops[p] as Term[][]).length === 0) (rest[type.service] as number) += rps;
    }
    return new Set([...rest.keys()].filter((i) => (rest[i] as number) < (this.#move.floor[i] as number) * (1 - 1e-12)));
  }

  #addStopGaps(tight: ReadonlySet<number>): void {
    const { builder } = this;
    for (const gap of this.#move.stopGaps) {
      if (!tight.has(gap.service)) continue;
      const running = Array.from({ length: this.#waves }, () => builder.column(0, 0, 20, true));
      const ready = Array.from({ length: this.#waves }, (_, w) => builder.column(0, 0, w === 0 ? 0 : 20, true));
      for (let w = 0; w < this.#waves; w++) {
        const started = builder.column(stopGapCost, 0, Infinity);
        const before: Term[] = w === 0 ? [] : [[running[w - 1] as number, -1]];
        this.#atMost([[running[w] as number, 1], ...before, [started, -1]], 0);
        if (w === 0) continue;
        this.#atMost(
          [
            [ready[w] as number, 1],
            [running[w - 1] as number, -1],
          ],
          0,
        );
        this.#atMost(
          [
            [ready[w] as number, 1],
            [running[w] as number, -1],
          ],
          0,
        );
      }
      this.#gaps.push({ gap, running, ready });
    }
    if (this.#gaps.length === 0 || this.#move.headroom === 0) return;
    for (const [pool, layouts] of this.#move.layouts.entries()) {
      if ((this.#move.poolHeadroom[pool] as number) <= 0) continue;
      for (const layout of layouts.keys()) {
        this.#extras.push({ pool, layout, column: builder.column(extraCost, 0, this.#move.headroom, true) });
      }
    }
  }

  /** Per size and wave: no more new pods than places of the target, no more pods in all than places. */
  #addRoom(): void {
    const { slots, contents, arrivals, layouts, sizeCount } = this.#move;
    for (let k = 0; k < sizeCount; k++) {
      for (let w = 0; w < this.#waves; w++) {
        let open = 0;
        const terms: Term[] = [];
        for (const [a, { item }] of arrivals.entries()) if (item.size === k) terms.push([this.#started[a]?.[w] as number, 1]);
        const gaps = this.#gaps.flatMap(({ gap, running }): Term[] => (gap.item.size === k ? [[running[w] as number, 1]] : []));
        if (terms.length + gaps.length === 0) continue;
        for (const [s, { size, content, blockers }] of slots.entries()) {
          if (size !== k) continue;
          if (this.#isOpenAtOnce(content, blockers)) open++;
          else if (this.#open[s] !== undefined) terms.push([this.#open[s]?.[w] as number, -1]);
        }
        for (const [j, content] of contents.entries()) {
          const made = this.#made[j];
          const gained = content.slots.filter((s) => slots[s]?.size === k && !this.#isOpenAtOnce(j, slots[s]?.blockers ?? [])).length;
          if (made !== undefined && gained > 0) terms.push([made[w] as number, -gained]);
        }
        const extras = this.#extras.flatMap(({ pool, layout, column }): Term[] => {
          const count = layouts[pool]?.[layout]?.filter(({ size }) => size === k).length ?? 0;
          return count === 0 ? [] : [[column, -count]];
        });
        this.#atMost(terms, open);
        if (gaps.length > 0) this.#atMost([...terms, ...gaps, ...extras], open);
      }
    }
  }

  /** Per wave: GPUs taken, less those given up, within what may be in use. */
  #addBudget(): void {
    const { headroom, poolHeadroom, contents, emptying } = this.#move;
    const limits = [{ pool: -1, limit: headroom }, ...poolHeadroom.map((limit, pool) => ({ pool, limit }))];
    for (const { pool, limit } of limits) {
      if (limit === Infinity) continue;
      for (let w = 0; w < this.#waves; w++) {
        const terms: Term[] = [];
        const counts = (other: number): boolean => pool < 0 || other === pool;
        for (const [j, content] of contents.entries())
          if (this.#made[j] !== undefined && counts(content.pool)) terms.push([this.#made[j]?.[w] as number, 1]);
        for (const [e, { gpu }] of emptying.entries()) if (counts(gpu.pool)) terms.push([this.#left[e]?.[w] as number, -1]);
        for (const extra of this.#extras) if (counts(extra.pool)) terms.push([extra.column, 1]);
        if (terms.length > 0) this.#atMost(terms, limit);
      }
    }
  }

  /** Per tight service and wave: what is ready when the stops before the wave are done is at least the floor. */
  #addFloors(stops: readonly Term[][][], tight: ReadonlySet<number>, dips: boolean): void {
    const { leaving, arrivals, floor, staying } = this.#move;
    const podsOf = new Map<number, number[]>();
    for (const [p, { type }] of leaving.entries()) podsOf.set(type.service, [...(podsOf.get(type.service) ?? []), p]);
    const stopped = new Map<number, readonly Term[]>();
    for (const i of tight) {
      for (const p of podsOf.get(i) ?? []) stopped.set(p, this.#stopTerms(stops[p] as Term[][]));
      const need = floor[i] as number;
      const dip: number[] = [];
      for (let w = 0; w < this.#waves; w++) {
        let ready = staying[i] as number;
        const terms: Term[] = [];
        for (const p of podsOf.get(i) ?? []) {
          const { rps } = leaving[p] as (typeof leaving)[number];
          ready += rps;
          const term = stopped.get(p)?.[w];
          if (term !== undefined) terms.push([term[0], rps / need]);
        }
        for (const [a, arrival] of arrivals.entries()) {
          if (w > 0 && arrival.service === i) terms.push([this.#started[a]?.[w - 1] as number, -arrival.rps / need]);
        }
        for (const { gap, ready: columns } of this.#gaps)
          if (w > 0 && gap.service === i) terms.push([columns[w] as number, -gap.rps / need]);
        if (dips) {
          dip.push(this.builder.column(dipCost * need, 0, 1));
          terms.push([dip[w] as number, -1]);
        }
        this.#atMost(merge(terms), ready / need - 1 + 1e-9);
      }
      if (dips) this.#dips.set(i, dip);
    }
  }

  /** The column that says, per wave, that a pod has stopped: that of the only thing it is in the way of, or one above all of them. */
  #stopTerms(reasons: readonly Term[][]): readonly Term[] {
    const [only, ...others] = reasons;
    if (only === undefined || others.length === 0) return only ?? [];
    const columns = this.#growing(1);
    for (const terms of reasons) {
      for (const [w, [column]] of terms.entries())
        this.#atMost(
          [
            [column, 1],
            [columns[w] as number, -1],
          ],
          0,
        );
    }
    return columns.map((column): Term => [column, 1]);
  }
}

function merge(terms: readonly Term[]): Term[] {
  const sums = new Map<number, number>();
  for (const [column, factor] of terms) sums.set(column, (sums.get(column) ?? 0) + factor);
  return [...sums];
}
