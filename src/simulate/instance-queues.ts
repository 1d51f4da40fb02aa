import type { LatencyHistogram } from './latency-histogram.js';
import { RandomBlocks } from './random-blocks.js';
import type { InstanceKind } from './simulated-service.js';

const firstRing = 64;
const factorBlock = 1024;

/** How instances take requests. */
export interface QueueSettings {
  /** How long a free process waits for a fuller batch, ms, at least 0. */
  readonly delayMs: number;
  /** Coefficient of variation of batch times around the measured ones; 0 = as measured. */
  readonly batchVariation: number;
  readonly seed: number;
}

/**
 * The queues and processes of a service's instances. A free process takes up to a full batch at once; with a delay it first waits
 * until the batch is full or its oldest request is that old. An instance is caught up with the clock only when someone asks, and
 * latencies are known when a batch starts, so requests are nothing but arrival times in a ring.
 */
export class InstanceQueues {
  readonly count: number;
  readonly #delayMs: number;
  readonly #variation: number;
  readonly #random: RandomBlocks;
  /** Factors of batch times that are drawn and not yet used. */
  readonly #factors = new Float64Array(factorBlock);
  #nextFactor = factorBlock;
  readonly #histogram: LatencyHistogram;
  readonly #maxBatch: Int32Array;
  /** Batch times by instance: those of instance i are read at `#timesAt[i] + n`. */
  readonly #batchMs: Float64Array;
  readonly #timesAt: Int32Array;
  /** Processes of instance i are `#firstProcess[i]` … `#firstProcess[i + 1] − 1`. */
  readonly #firstProcess: Int32Array;
  /** When each process is free, ms. */
  readonly #freeMs: Float64Array;
  /** Requests in the last batch of each process. */
  readonly #batch: Int32Array;
  readonly #rings: Float64Array[];
  readonly #head: Int32Array;
  readonly #waiting: Int32Array;
  /** Batches, requests in them, and ms of processes at work. */
  readonly #totals = new Float64Array(3);

  constructor(kinds: readonly InstanceKind[], settings: QueueSettings, histogram: LatencyHistogram) {
    const each = kinds.flatMap((kind, k) => Array.from({ length: kind.count }, () => k));
    const kindOf = (k: number) => kinds[k] as InstanceKind;
    this.count = each.length;
    this.#delayMs = settings.delayMs;
    this.#variation = settings.batchVariation;
    this.#random = new RandomBlocks(settings.seed);
    this.#histogram = histogram;
    this.#maxBatch = Int32Array.from(each, (k) => kindOf(k).maxBatch);
    const starts = runningSums(kinds.map(({ maxBatch }) => maxBatch + 1));
    this.#batchMs = new Float64Array(starts.at(-1) as number);
    for (const [k, { batchMs, maxBatch }] of kinds.entries()) this.#batchMs.set(batchMs.subarray(0, maxBatch + 1), starts[k]);
    this.#timesAt = Int32Array.from(each, (k) => starts[k] as number);
    this.#firstProcess = runningSums(each.map((k) => kindOf(k).processes));
    const processes = this.#firstProcess.at(-1) as number;
    this.#freeMs = new Float64Array(processes);
    this.#batch = new Int32Array(processes);
    this.#rings = each.map(() => new Float64Array(firstRing));
    this.#head = new Int32Array(each.length);
    this.#waiting = new Int32Array(each.length);
  }

  /** A request arrives at an instance; times never fall from call to call of one instance. */
  arrive(instance: number, nowMs: number): void {
    if ((this.#waiting[instance] as number) > 0) this.catchUp(instance, nowMs);
    const waiting = this.#waiting[instance] as number;
    let ring = this.#rings[instance] as Float64Array;
    if (waiting === ring.length) ring = this.#grow(instance);
    ring[((this.#head[instance] as number) + waiting) & (ring.length - 1)] = nowMs;
    this.#waiting[instance] = waiting + 1;
    this.catchUp(instance, nowMs);
  }

  /** Starts every batch that starts by `nowMs`; Infinity empties the queue. */
  catchUp(instance: number, nowMs: number): void {
    const from = this.#firstProcess[instance] as number;
    const to = this.#firstProcess[instance + 1] as number;
    while ((this.#waiting[instance] as number) > 0) {
      const process = earliest(this.#freeMs, from, to);
      const freeMs = this.#freeMs[process] as number;
      if (freeMs > nowMs) return;
      const startMs = this.#nextStartMs(instance, freeMs);
      if (startMs > nowMs) return;
      this.#start(instance, process, startMs);
    }
  }

  /** Requests in an instance, waiting or at work, once it is caught up with `nowMs`. */
  inSystem(instance: number, nowMs: number): number {
    this.catchUp(instance, nowMs);
    let requests = this.#waiting[instance] as number;
    for (let process = this.#firstProcess[instance] as number; process < (this.#firstProcess[instance + 1] as number); process++) {
      if ((this.#freeMs[process] as number) > nowMs) requests += this.#batch[process] as number;
    }
    return requests;
  }

  /** When an instance that is caught up with `nowMs` next ends or starts a batch by itself, ms; Infinity when it is idle. */
  nextChangeMs(instance: number, nowMs: number): number {
    const from = this.#firstProcess[instance] as number;
    const to = this.#firstProcess[instance + 1] as number;
    let next =
      (this.#waiting[instance] as number) > 0
        ? this.#nextStartMs(instance, this.#freeMs[earliest(this.#freeMs, from, to)] as number)
        : Number.POSITIVE_INFINITY;
    for (let process = from; process < to; process++) {
      const freeMs = this.#freeMs[process] as number;
      if (freeMs > nowMs && freeMs < next) next = freeMs;
    }
    return next;
  }

  /** Gives up the requests that wait at an instance and returns their number; what is at work is finished. */
  drop(instance: number): number {
    const waiting = this.#waiting[instance] as number;
    this.#waiting[instance] = 0;
    return waiting;
  }

  /** Lets every queue run empty. */
  finish(): void {
    for (let instance = 0; instance < this.count; instance++) this.catchUp(instance, Number.POSITIVE_INFINITY);
  }

  /** Batches and the ms of work in them since the last call; starts anew. */
  takeTotals(): { readonly batches: number; readonly batchedRequests: number; readonly workMs: number } {
    const [batches, batchedRequests, workMs] = this.#totals as unknown as [number, number, number];
    this.#totals.fill(0);
    return { batches, batchedRequests, workMs };
  }

  /** When those that wait are started by a process that is free at `freeMs`. */
  #nextStartMs(instance: number, freeMs: number): number {
    const ring = this.#rings[instance] as Float64Array;
    const head = this.#head[instance] as number;
    const waiting = this.#waiting[instance] as number;
    const missing = (this.#maxBatch[instance] as number) - waiting;
    const isDelayed = missing > 0 && this.#delayMs > 0;
    const last = missing > 0 ? waiting - 1 : waiting + missing - 1;
    const dueMs = isDelayed ? (ring[head] as number) + this.#delayMs : (ring[(head + last) & (ring.length - 1)] as number);
    return Math.max(freeMs, dueMs);
  }

  #start(instance: number, process: number, startMs: number): void {
    const ring = this.#rings[instance] as Float64Array;
    const head = this.#head[instance] as number;
    const waiting = this.#waiting[instance] as number;
    const maxBatch = this.#maxBatch[instance] as number;
    const size = Math.min(waiting, maxBatch);
    const steadyMs = this.#batchMs[(this.#timesAt[instance] as number) + size] as number;
    const workMs = this.#variation === 0 ? steadyMs : steadyMs * this.#drawFactor();
    this.#freeMs[process] = startMs + workMs;
    this.#batch[process] = size;
    this.#histogram.recordBatch(startMs + workMs, ring, head, size, ring.length - 1);
    this.#head[instance] = (head + size) & (ring.length - 1);
    this.#waiting[instance] = waiting - size;
    const totals = this.#totals;
    totals[0] = (totals[0] as number) + 1;
    totals[1] = (totals[1] as number) + size;
    totals[2] = (totals[2] as number) + workMs;
  }

  #drawFactor(): number {
    if (this.#nextFactor === factorBlock) {
      this.#random.fillGaps(this.#factors, this.#variation);
      this.#nextFactor = 0;
    }
    return this.#factors[this.#nextFactor++] as number;
  }

  #grow(instance: number): Float64Array {
    const ring = this.#rings[instance] as Float64Array;
    const head = this.#head[instance] as number;
    const larger = new Float64Array(2 * ring.length);
    larger.set(ring.subarray(head));
    larger.set(ring.subarray(0, head), ring.length - head);
    this.#rings[instance] = larger;
    this.#head[instance] = 0;
    return larger;
  }
}

function earliest(freeMs: Float64Array, from: number, to: number): number {
  let first = from;
  for (let process = from + 1; process < to; process++) {
    if ((freeMs[process] as number) < (freeMs[first] as number)) first = process;
  }
  return first;
}

function runningSums(counts: readonly number[]): Int32Array {
  const sums = new Int32Array(counts.length + 1);
  for (const [i, count] of counts.entries()) sums[i + 1] = (sums[i] as number) + count;
  return sums;
}
