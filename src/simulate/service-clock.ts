import { type ArrivalSource, createArrivalSource } from './arrival-source.js';
import { createDispatcher, type Dispatcher } from './dispatchers.js';
import { InstanceQueues, type QueueSettings } from './instance-queues.js';
import { type LatencyCounts, LatencyHistogram } from './latency-histogram.js';
import { deriveSeed } from './random-blocks.js';
import type { SimulatedService } from './simulated-service.js';

const blockLength = 2048;

/** How batches form and how steady their times are. */
export type Batching = Omit<QueueSettings, 'seed'>;

/** What happened in a stretch of simulated time. */
export interface Stretch {
  readonly counts: LatencyCounts;
  readonly requests: number;
  readonly spanMs: number;
  readonly batches: number;
  readonly batchedRequests: number;
  readonly workMs: number;
}

/** One service with its requests, moved forward stretch by stretch. Its randomness depends on the seed and its name alone. */
export class ServiceClock {
  readonly #source: ArrivalSource;
  readonly #queues: InstanceQueues;
  readonly #dispatcher: Dispatcher;
  readonly #histogram: LatencyHistogram;
  readonly #block = new Float64Array(blockLength);
  #at = blockLength;
  #nowMs = 0;

  constructor(service: SimulatedService, batching: Batching, seed: number) {
    this.#histogram = new LatencyHistogram(service.limitMs);
    this.#queues = new InstanceQueues(service.kinds, { ...batching, seed: deriveSeed(seed, service.name, 'batches') }, this.#histogram);
    this.#source = createArrivalSource(service.arrivals, service.rateRps, deriveSeed(seed, service.name, 'arrivals'));
    this.#dispatcher = createDispatcher(service.router, service.kinds, this.#queues, deriveSeed(seed, service.name, 'router'));
  }

  /** Time after which the arrivals' pattern starts anew, ms; Infinity where the rate does not move. */
  get periodMs(): number {
    return this.#source.periodMs;
  }

  /** Lets so many more requests arrive. */
  advanceBy(requests: number): Stretch {
    const fromMs = this.#nowMs;
    for (let left = requests; left > 0; ) {
      this.#refill();
      const end = Math.min(blockLength, this.#at + left);
      left -= end - this.#at;
      this.#dispatch(end);
    }
    return this.#take(requests, fromMs);
  }

  /** Lets everything arrive that does before `untilMs`. */
  advanceTo(untilMs: number): Stretch {
    const fromMs = this.#nowMs;
    let requests = 0;
    for (;;) {
      this.#refill();
      let end = this.#at;
      while (end < blockLength && (this.#block[end] as number) < untilMs) end++;
      requests += end - this.#at;
      this.#dispatch(end);
      if (end < blockLength) break;
    }
    this.#nowMs = untilMs;
    return this.#take(requests, fromMs);
  }

  /** Lets the queues run empty without further requests. */
  finish(): Stretch {
    this.#queues.finish();
    return this.#take(0, this.#nowMs);
  }

  #refill(): void {
    if (this.#at < blockLength) return;
    this.#source.fill(this.#block);
    this.#at = 0;
  }

  #dispatch(end: number): void {
    if (end === this.#at) return;
    this.#dispatcher.dispatch(this.#block.subarray(this.#at, end));
    this.#nowMs = this.#block[end - 1] as number;
    this.#at = end;
  }

  #take(requests: number, fromMs: number): Stretch {
    return { counts: this.#histogram.take(), requests, spanMs: this.#nowMs - fromMs, ...this.#queues.takeTotals() };
  }
}
