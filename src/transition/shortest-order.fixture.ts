import type { StateDocument } from '../demand/documents/state.js';
import type { TransitionDocument } from '../demand/documents/transition.js';
import type { Pool, Workload } from '../demand/workload.js';
import { findBrokenRule } from '../gpu/placement-rules.js';
import { type Action, afterwards, lasting, type Moment, Phase, wait } from './order-moment.fixture.js';
import { type Cell, type Kind, layOut, listHosts, type OrderPuzzle, type PuzzleGpu } from './order-puzzle.fixture.js';

/** What the search found: seconds, Infinity when there is no order, undefined when it gave up. */
export type ShortestOrder = number | undefined;

/** Limits of the search. */
export interface SearchLimits {
  /** Pods that may run for a while, each on an instance of its own or on one of the target. */
  readonly temporaryPods: number;
  /** Steps to try before giving up. */
  readonly mostBranches: number;
  /** Orders that take longer are of no interest, seconds. */
  readonly withinS: number;
}

/**
 * The shortest order from a state to the target of a transition under `instance` and the default durations, by trying at every
 * moment every set of steps that may begin: for one pool, services without replicas to keep apart, and a handful of pods. Kept
 * pods and layouts are those of the target; which new pod takes which place of its size is open, and so is the GPU of content
 * beside which nothing stays. A step never has to begin between two ends of others: bringing it forward harms nothing.
 */
export function shortestOrderByForce(
  state: StateDocument,
  document: TransitionDocument,
  workload: Workload,
  limits: SearchLimits,
): ShortestOrder {
  let best: ShortestOrder = Infinity;
  for (const hosts of listHosts(state, document)) {
    const withinS = Math.min(limits.withinS, best ?? Infinity);
    const found = new OrderSearch(layOut(state, document, workload, hosts, limits.temporaryPods > 0), { ...limits, withinS }).run();
    if (found === undefined) return undefined;
    best = Math.min(best, found);
  }
  return best;
}

class OrderSearch {
  readonly #pool: Pool;
  readonly #limits: SearchLimits;
  readonly #gpus: readonly PuzzleGpu[];
  readonly #cells: readonly Cell[];
  readonly #kinds: readonly Kind[];
  readonly #floor: readonly number[];
  readonly #kept: readonly number[];
  readonly #mostGpus: number;
  /** By cell: those that cannot exist beside it. */
  readonly #rivals: (readonly number[])[];
  readonly #buckets: Moment[][] = [];
  readonly #seen = new Map<string, number>();
  #tried = 0;

  constructor({ pool, gpus, cells, kinds, floor, kept, mostGpus }: OrderPuzzle, limits: SearchLimits) {
    this.#pool = pool;
    this.#gpus = gpus;
    this.#cells = cells;
    this.#kinds = kinds;
    this.#floor = floor;
    this.#kept = kept;
    this.#mostGpus = mostGpus;
    this.#limits = limits;
    this.#rivals = cells.map((cell, c) => cells.flatMap((other, o) => (o !== c && this.#areRivals(cell, other) ? [o] : [])));
  }

  /** Earliest end first, so that the first end found is the best. */
  run(): ShortestOrder {
    this.#push({
      at: 0,
      phase: Uint8Array.from(this.#cells, ({ isThere, first }) => (!isThere ? Phase.Absent : first < 0 ? Phase.Idle : Phase.Leaving)),
      left: new Int16Array(this.#cells.length),
      kind: Int8Array.from(this.#cells, ({ first }) => first),
      standIns: 0,
    });
    for (let at = 0; at < this.#buckets.length; at++) {
      for (let moment = this.#buckets[at]?.pop(); moment !== undefined; moment = this.#buckets[at]?.pop()) {
        if (this.#isDone(moment)) return moment.at / 10;
        if (this.#tried > this.#limits.mostBranches) return undefined;
        this.#branch(moment, this.#listActions(moment), 0);
      }
    }
    return this.#tried > this.#limits.mostBranches ? undefined : Infinity;
  }

  #areRivals(a: Cell, b: Cell): boolean {
    if (a.gpu !== b.gpu) return false;
    if ((a.mask & b.mask) !== 0) return true;
    const wanted = this.#cells.filter((cell) => cell.gpu === a.gpu && cell.isTarget && cell !== a && cell !== b);
    const fixed = (this.#gpus[a.gpu] as PuzzleGpu).fixed;
    const together = [...fixed, ...wanted, a, b].map(({ profile }) => profile);
    return a.isTarget !== b.isTarget && findBrokenRule(this.#pool.gpu, together, this.#pool) !== undefined;
  }

  #isDone({ phase }: Moment): boolean {
    return this.#cells.every(({ isTarget, gpu }, c) =>
      isTarget ? phase[c] === Phase.Ready : phase[c] === Phase.Absent || (phase[c] === Phase.Idle && this.#gpus[gpu]?.isHost),
    );
  }

  /** Seconds that are left at least: for each place the longest chain of steps it still needs. */
  #leastLeft({ phase, left }: Moment): number {
    const clear = (c: number): number => {
      const p = phase[c] as Phase;
      if (p === Phase.Leaving || p === Phase.StandIn) return lasting.stop;
      if (p === Phase.StandInStarting) return (left[c] as number) + lasting.stop;
      return p === Phase.Stopping || p === Phase.Creating ? (left[c] as number) : 0;
    };
    const vacate = (c: number): number =>
      phase[c] === Phase.Absent ? 0 : phase[c] === Phase.Deleting ? (left[c] as number) : clear(c) + lasting.delete;
    let most = 0;
    for (const [c, { isTarget, gpu }] of this.#cells.entries()) {
      const p = phase[c] as Phase;
      let need: number;
      if (!isTarget) need = this.#gpus[gpu]?.isHost ? (p === Phase.Deleting ? 0 : clear(c)) : vacate(c);
      else if (p === Phase.Ready) need = 0;
      else if (p === Phase.Starting) need = left[c] as number;
      else if (p === Phase.Absent || p === Phase.Deleting) {
        const freed = Math.max(vacate(c), ...(this.#rivals[c] as readonly number[]).map(vacate));
        need = freed + lasting.create + lasting.start;
      } else need = clear(c) + lasting.start;
      most = Math.max(most, need);
    }
    return most;
  }

  #push(moment: Moment): void {
    const key = `${moment.phase.join('')}|${moment.left.join()}|${moment.kind.join()}|${moment.standIns}`;
    const known = this.#seen.get(key);
    if (known !== undefined && known <= moment.at) return;
    const end = moment.at + this.#leastLeft(moment);
    if (end > this.#limits.withinS * 10 + 1e-6) return;
    this.#seen.set(key, moment.at);
    const bucket = this.#buckets[end];
    if (bucket === undefined) this.#buckets[end] = [moment];
    else bucket.push(moment);
  }

  /** What may begin now, cell by cell: ways to go on, of which one is taken; 'wait' is one unless the step can only help. */
  #listActions({ phase, kind, standIns }: Moment): readonly (readonly Action[])[] {
    const mayStandIn = standIns < this.#limits.temporaryPods;
    const isFree = this.#limits.temporaryPods === 0;
    const lists: Action[][] = [];
    const isAbsent = (c: number): boolean => phase[c] === Phase.Absent;
    for (const [c, cell] of this.#cells.entries()) {
      const p = phase[c] as Phase;
      const { gpu, profile, isTarget, isThere } = cell;
      const isMade = !isTarget && !isThere;
      const actions: Action[] = [];
      let mustAct = false;
      if (p === Phase.Leaving || p === Phase.StandIn) {
        actions.push({ cell: c, to: Phase.Stopping, left: lasting.stop, kind: kind[c] as number });
        mustAct = p === Phase.Leaving && this.#isPlenty(phase, kind, this.#kinds[kind[c] as number]?.service ?? -1);
      } else if (p === Phase.Idle) {
        const blocks = (this.#rivals[c] as readonly number[]).some((o) => this.#cells[o]?.isTarget && isAbsent(o));
        if (!isTarget && (blocks || !this.#gpus[gpu]?.isHost)) {
          actions.push({ cell: c, to: Phase.Deleting, left: lasting.delete, kind: -1 });
          mustAct = isFree;
        }
        for (const [k, { profile: size, wanted }] of this.#kinds.entries()) {
          if (size !== profile.name) continue;
          if (isTarget && wanted > 0) {
            actions.push({ cell: c, to: Phase.Starting, left: lasting.start, kind: k });
            mustAct = isFree;
          }
          if (mayStandIn || isMade) actions.push({ cell: c, to: Phase.StandInStarting, left: lasting.start, kind: k });
        }
      } else if (p === Phase.Absent && (isTarget || mayStandIn)) {
        actions.push({ cell: c, to: Phase.Creating, left: lasting.create, kind: -1 });
        mustAct = isFree && this.#isHeld(gpu, phase);
      }
      if (actions.length > 0) lists.push(mustAct ? actions : [...actions, wait]);
    }
    return lists;
  }

  /** Whether something stays on a GPU whatever is done: then creating there takes no other GPU. */
  #isHeld(gpu: number, phase: Uint8Array): boolean {
    if ((this.#gpus[gpu] as PuzzleGpu).fixed.length > 0) return true;
    return this.#cells.some((cell, c) => cell.gpu === gpu && cell.isTarget && phase[c] !== Phase.Absent && phase[c] !== Phase.Deleting);
  }

  /** Whether a service keeps its floor without any pod that leaves. */
  #isPlenty(phase: Uint8Array, kind: Int8Array, service: number): boolean {
    return service < 0 || this.#sum(phase, kind, service, Phase.Ready) >= (this.#floor[service] as number) * (1 - 1e-9);
  }

  #sum(phase: Uint8Array, kind: Int8Array, service: number, ...phases: readonly Phase[]): number {
    let sum = this.#kept[service] as number;
    for (let c = 0; c < phase.length; c++) {
      const of = this.#kinds[kind[c] as number];
      if (of?.service === service && phases.includes(phase[c] as Phase)) sum += of.rps;
    }
    return sum;
  }

  /** Takes one way for each list from `depth` on, where it is allowed, and then lets time pass. */
  #branch(moment: Moment, lists: readonly (readonly Action[])[], depth: number): void {
    const list = lists[depth];
    if (++this.#tried > this.#limits.mostBranches) return;
    if (list === undefined) {
      this.#pass(moment);
      return;
    }
    let isTaken = false;
    for (const action of list) {
      if (action === wait) this.#branch(moment, lists, depth + 1);
      else if (this.#isAllowed(moment, action)) {
        const { cell, to, left, kind } = action;
        const { phase: phases, left: lefts, kind: kinds } = moment;
        const next = { ...moment, phase: phases.slice(), left: lefts.slice(), kind: kinds.slice() };
        next.phase[cell] = to;
        next.left[cell] = left;
        next.kind[cell] = kind;
        this.#branch({ ...next, standIns: moment.standIns + (this.#isForAWhile(action) ? 1 : 0) }, lists, depth + 1);
      } else continue;
      isTaken = true;
    }
    if (!isTaken) this.#branch(moment, lists, depth + 1);
  }

  /** An instance that the target does not have is made for one pod; other instances take one as they are. */
  #isForAWhile({ cell, to }: Action): boolean {
    const { isTarget, isThere } = this.#cells[cell] as Cell;
    return isTarget || isThere ? to === Phase.StandInStarting : to === Phase.Creating;
  }

  #isAllowed({ phase, kind, standIns }: Moment, action: Action): boolean {
    const { cell: c, to, kind: k } = action;
    const { gpu } = this.#cells[c] as Cell;
    if (this.#isForAWhile(action) && standIns >= this.#limits.temporaryPods) return false;
    if (to === Phase.Stopping) {
      const { service, rps } = this.#kinds[kind[c] as number] as Kind;
      const ready = service < 0 ? Infinity : this.#sum(phase, kind, service, Phase.Leaving, Phase.Ready, Phase.StandIn);
      return service < 0 || ready - rps >= (this.#floor[service] as number) * (1 - 1e-9);
    }
    if (to === Phase.Starting) {
      const taken = phase.reduce((sum, p, o) => sum + ((p === Phase.Starting || p === Phase.Ready) && kind[o] === k ? 1 : 0), 0);
      return taken < (this.#kinds[k] as Kind).wanted;
    }
    if (to !== Phase.Creating) return true;
    const held = this.#cells.filter((cell, o) => cell.gpu === gpu && phase[o] !== Phase.Absent);
    const together = [...(this.#gpus[gpu] as PuzzleGpu).fixed, ...held];
    const { mask, profile } = this.#cells[c] as Cell;
    if (together.some((other) => (other.mask & mask) !== 0)) return false;
    if (
      findBrokenRule(
        this.#pool.gpu,
        [...together, { profile }].map((one) => one.profile),
        this.#pool,
      ) !== undefined
    )
      return false;
    return together.length > 0 || this.#countUsed(phase) < this.#mostGpus;
  }

  #countUsed(phase: Uint8Array): number {
    return this.#gpus.filter(({ fixed }, g) => fixed.length > 0 || this.#cells.some(({ gpu }, c) => gpu === g && phase[c] !== Phase.Absent))
      .length;
  }

  /** Goes to the next end of a step. */
  #pass({ at, phase, left, kind, standIns }: Moment): void {
    const ends = left.filter((rest) => rest > 0);
    if (ends.length === 0) return;
    const passed = Math.min(...ends);
    const next = { at: at + passed, phase: phase.slice(), left: left.slice(), kind: kind.slice(), standIns };
    for (const [c, rest] of left.entries()) {
      if (rest === 0) continue;
      next.left[c] = rest - passed;
      if (rest > passed) continue;
      const p = phase[c] as Phase;
      next.phase[c] = afterwards[p] as Phase;
      if (p === Phase.Stopping || p === Phase.Deleting) next.kind[c] = -1;
    }
    this.#push(next);
  }
}
