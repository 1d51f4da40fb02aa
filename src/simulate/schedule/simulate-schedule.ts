import { createMovingSource } from '../arrival-source.js';
import { InstanceQueues } from '../instance-queues.js';
import { LatencyHistogram, quantileOf } from '../latency-histogram.js';
import { MinTree } from '../min-tree.js';
import { deriveSeed } from '../random-blocks.js';
import type { Batching } from '../service-clock.js';
import type { PhaseOutcome, ScheduledPod, ScheduledService, ScheduleOutcome } from './scheduled-service.js';

/** One service of a schedule to play; equal requests give equal outcomes. */
export interface ScheduleRequest {
  readonly service: ScheduledService;
  readonly batching: Batching;
  readonly seed: number;
}

const blockLength = 2048;

/**
 * Plays a service's requests through a schedule, by smooth weighted round robin over the pods that are open. A latency counts for the phase
 * in which its batch starts; a request that is lost for the phase in which it is given up.
 */
export function simulateSchedule({ service, batching, seed }: ScheduleRequest): ScheduleOutcome {
  const { name, percentile, phases, rates } = service;
  const outcomes: PhaseOutcome[] = [];
  const fleet = new Fleet(service.pods, batching, deriveSeed(seed, name, 'batches'), service.limitsMs);
  const isWanted = rates.some(({ rateRps }) => rateRps > 0);
  const source = isWanted ? createMovingSource(rates, service.burstiness, deriveSeed(seed, name, 'arrivals')) : undefined;
  const block = new Float64Array(blockLength);
  let at = blockLength;
  for (const [i, phase] of phases.entries()) {
    while (source !== undefined) {
      if (at === blockLength) {
        source.fill(block);
        at = 0;
      }
      const nowMs = block[at] as number;
      if (nowMs >= phase.toMs) break;
      fleet.arrive(nowMs);
      at += 1;
    }
    fleet.advance(i === phases.length - 1 ? Number.POSITIVE_INFINITY : phase.toMs);
    const { counts, lost } = fleet.take(i + 1);
    const inTime = counts.within;
    const requests = counts.count + lost;
    outcomes.push({
      ...phase,
      requests,
      late: counts.count - inTime,
      lost,
      p99Ms: quantileOf(counts, 0.99),
      meets: inTime >= (requests * percentile) / 100 - 1e-9,
    });
  }
  return { name, percentile, phases: outcomes };
}

/** Pods that open, close and end as the clock moves on. */
class Fleet {
  readonly #queues: InstanceQueues;
  readonly #turns: MinTree;
  readonly #strides: Float64Array;
  /** Changes to come, latest first. */
  readonly #changes: { readonly atMs: number; readonly order: number; readonly pod: number; readonly kind: 'open' | 'close' | 'end' }[];
  readonly #histogram: LatencyHistogram;
  readonly #limitsMs: readonly number[];
  #lost = 0;

  constructor(pods: readonly ScheduledPod[], batching: Batching, seed: number, limitsMs: readonly number[]) {
    this.#limitsMs = limitsMs;
    this.#histogram = new LatencyHistogram(limitsMs[0] as number);
    this.#queues = new InstanceQueues(
      pods.map(({ instance }) => ({ ...instance, count: 1 })),
      { ...batching, seed },
      this.#histogram,
    );
    this.#strides = Float64Array.from(pods, ({ instance }) => 1 / instance.weight);
    this.#turns = new MinTree(pods.map(() => Number.POSITIVE_INFINITY));
    this.#changes = pods
      .flatMap(({ opensMs, closesMs, endsMs }, pod) => [
        { atMs: opensMs, order: 0, pod, kind: 'open' as const },
        { atMs: closesMs, order: 1, pod, kind: 'close' as const },
        { atMs: endsMs, order: 2, pod, kind: 'end' as const },
      ])
      .filter(({ atMs }) => Number.isFinite(atMs))
      .sort((a, b) => b.atMs - a.atMs || b.order - a.order);
  }

  arrive(nowMs: number): void {
    this.#change(nowMs);
    const pod = this.#turns.least;
    const turn = this.#turns.key(pod);
    if (turn === Number.POSITIVE_INFINITY) {
      this.#lost += 1;
      return;
    }
    this.#turns.set(pod, turn + (this.#strides[pod] as number));
    this.#queues.arrive(pod, nowMs);
  }

  /** Brings every pod up to a moment; Infinity lets the queues of those that stay run empty. */
  advance(nowMs: number): void {
    this.#change(nowMs);
    for (let pod = 0; pod < this.#queues.count; pod++) this.#queues.catchUp(pod, nowMs);
  }

  take(nextPhase: number) {
    const counts = this.#histogram.take();
    const lost = this.#lost;
    this.#lost = 0;
    this.#histogram.limitMs = this.#limitsMs[nextPhase] ?? this.#histogram.limitMs;
    return { counts, lost };
  }

  #change(nowMs: number): void {
    for (let next = this.#changes.at(-1); next !== undefined && next.atMs <= nowMs; next = this.#changes.at(-1)) {
      this.#changes.pop();
      const { pod, kind, atMs } = next;
      if (kind === 'open') this.#open(pod);
      else if (kind === 'close') this.#turns.set(pod, Number.POSITIVE_INFINITY);
      else {
        this.#queues.catchUp(pod, atMs);
        this.#lost += this.#queues.drop(pod);
      }
    }
  }

  /** A pod joins where the others stand; from behind it would get a flood at once. */
  #open(pod: number): void {
    const now = this.#turns.key(this.#turns.least);
    this.#turns.set(pod, (now === Number.POSITIVE_INFINITY ? 0 : now) + (this.#strides[pod] as number) / 2);
  }
}
