import type { InstanceQueues } from './instance-queues.js';
import { MinTree } from './min-tree.js';
import { RandomBlocks } from './random-blocks.js';
import type { InstanceKind, Router } from './simulated-service.js';

/** Sends requests to instances. */
export interface Dispatcher {
  /** Sends requests that arrive at `times`, ms, never falling, each to the instance the router picks. */
  dispatch(times: Float64Array): void;
}

/** The dispatcher of a router. Only those that draw by chance use the seed. */
export function createDispatcher(router: Router, kinds: readonly InstanceKind[], queues: InstanceQueues, seed: number): Dispatcher {
  switch (router) {
    case 'round-robin':
      return new InTurn(eachInstance(kinds, 'weight'), queues);
    case 'random':
      return new AtRandom(eachInstance(kinds, 'weight'), queues, seed);
    case 'two-choices':
      return new ShorterOfTwo(kinds, queues, seed);
    case 'shortest-queue':
      return new ShortestQueue(eachInstance(kinds, 'capacityRps'), queues);
  }
}

function eachInstance(kinds: readonly InstanceKind[], key: 'weight' | 'capacityRps'): Float64Array {
  return Float64Array.from(kinds.flatMap((kind) => Array.from({ length: kind.count }, () => kind[key])));
}

/** Smooth weighted round robin by strides: the instance that is furthest behind its share is next. */
class InTurn implements Dispatcher {
  readonly #queues: InstanceQueues;
  readonly #strides: Float64Array;
  readonly #turns: MinTree;

  constructor(weights: Float64Array, queues: InstanceQueues) {
    this.#queues = queues;
    this.#strides = weights.map((weight) => 1 / weight);
    this.#turns = new MinTree(this.#strides.map((stride) => stride / 2));
  }

  dispatch(times: Float64Array): void {
    const turns = this.#turns;
    const strides = this.#strides;
    for (let i = 0; i < times.length; i++) {
      const instance = turns.least;
      turns.set(instance, turns.key(instance) + (strides[instance] as number));
      this.#queues.arrive(instance, times[i] as number);
    }
  }
}

class AtRandom implements Dispatcher {
  readonly #queues: InstanceQueues;
  readonly #pick: WeightedPick;

  constructor(weights: Float64Array, queues: InstanceQueues, seed: number) {
    this.#queues = queues;
    this.#pick = new WeightedPick(weights, seed);
  }

  dispatch(times: Float64Array): void {
    const picks = this.#pick.fill(times.length);
    for (let i = 0; i < times.length; i++) this.#queues.arrive(picks[i] as number, times[i] as number);
  }
}

/** Of two instances picked by weight, the one with less to do for its capacity. */
class ShorterOfTwo implements Dispatcher {
  readonly #queues: InstanceQueues;
  readonly #capacity: Float64Array;
  readonly #pick: WeightedPick;

  constructor(kinds: readonly InstanceKind[], queues: InstanceQueues, seed: number) {
    this.#queues = queues;
    this.#capacity = eachInstance(kinds, 'capacityRps');
    this.#pick = new WeightedPick(eachInstance(kinds, 'weight'), seed);
  }

  dispatch(times: Float64Array): void {
    const picks = this.#pick.fill(2 * times.length);
    for (let i = 0; i < times.length; i++) {
      const nowMs = times[i] as number;
      const a = Math.min(picks[2 * i] as number, picks[2 * i + 1] as number);
      const b = Math.max(picks[2 * i] as number, picks[2 * i + 1] as number);
      this.#queues.arrive(a === b || this.#fullness(a, nowMs) <= this.#fullness(b, nowMs) ? a : b, nowMs);
    }
  }

  #fullness(instance: number, nowMs: number): number {
    return (this.#queues.inSystem(instance, nowMs) + 1) / (this.#capacity[instance] as number);
  }
}

/** Of all instances the one with least to do for its capacity. Changes between requests are replayed in their order. */
class ShortestQueue implements Dispatcher {
  readonly #queues: InstanceQueues;
  readonly #capacity: Float64Array;
  readonly #fullness: MinTree;
  readonly #changes: MinTree;

  constructor(capacity: Float64Array, queues: InstanceQueues) {
    this.#queues = queues;
    this.#capacity = capacity;
    this.#fullness = new MinTree(capacity.map((rps) => 1 / rps));
    this.#changes = new MinTree(capacity.map(() => Number.POSITIVE_INFINITY));
  }

  dispatch(times: Float64Array): void {
    const changes = this.#changes;
    for (let i = 0; i < times.length; i++) {
      const nowMs = times[i] as number;
      for (let changed = changes.least; changes.key(changed) <= nowMs; changed = changes.least) {
        this.#note(changed, changes.key(changed));
      }
      const instance = this.#fullness.least;
      this.#queues.arrive(instance, nowMs);
      this.#note(instance, nowMs);
    }
  }

  #note(instance: number, nowMs: number): void {
    this.#fullness.set(instance, (this.#queues.inSystem(instance, nowMs) + 1) / (this.#capacity[instance] as number));
    this.#changes.set(instance, this.#queues.nextChangeMs(instance, nowMs));
  }
}

/** Picks instances by weight with one number each: Walker's aliases (1977), as arranged by Vose (1991). */
class WeightedPick {
  readonly #random: RandomBlocks;
  readonly #keep: Float64Array;
  readonly #alias: Int32Array;
  #drawn = new Float64Array(0);
  #picks = new Int32Array(0);

  constructor(weights: Float64Array, seed: number) {
    this.#random = new RandomBlocks(seed);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    this.#keep = weights.map((weight) => (weight * weights.length) / total);
    this.#alias = Int32Array.from(weights, (_, i) => i);
    const small = [...this.#keep.keys()].filter((i) => (this.#keep[i] as number) < 1);
    const large = [...this.#keep.keys()].filter((i) => (this.#keep[i] as number) >= 1);
    while (small.length > 0 && large.length > 0) {
      const poor = small.pop() as number;
      const rich = large.at(-1) as number;
      this.#alias[poor] = rich;
      this.#keep[rich] = (this.#keep[rich] as number) - (1 - (this.#keep[poor] as number));
      if ((this.#keep[rich] as number) < 1) small.push(large.pop() as number);
    }
    for (const i of [...small, ...large]) this.#keep[i] = 1;
  }

  fill(count: number): Int32Array {
    if (this.#picks.length !== count) {
      this.#drawn = new Float64Array(count);
      this.#picks = new Int32Array(count);
    }
    this.#random.fillUniform(this.#drawn);
    const places = this.#keep.length;
    for (let i = 0; i < count; i++) {
      const at = (this.#drawn[i] as number) * places;
      const place = Math.floor(at);
      this.#picks[i] = at - place < (this.#keep[place] as number) ? place : (this.#alias[place] as number);
    }
    return this.#picks;
  }
}
