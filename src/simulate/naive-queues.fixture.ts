import type { InstanceKind, Router } from './simulated-service.js';

/** What the naive simulation saw. */
export interface NaiveRun {
  readonly latenciesMs: readonly number[];
  readonly batches: number;
  /** Integral of the number of requests in the system over time, ms. */
  readonly requestTimeMs: number;
  /** Moments at which a request waited for a full batch or its turn while a process idled, with no delay asked for. */
  readonly idleWhileWaiting: number;
}

interface NaiveInstance {
  readonly kind: InstanceKind;
  readonly waiting: number[];
  readonly busy: { readonly endMs: number; readonly size: number }[];
  /** Round robin: requests given so far, in strides. */
  turn: number;
}

/**
 * The same queues told moment by moment from one list of events, with nothing clever: every queue is looked at at every event. Routers that
 * draw by chance take the choices given.
 */
export function simulateNaively(
  kinds: readonly InstanceKind[],
  router: Exclude<Router, 'random' | 'two-choices'>,
  delayMs: number,
  times: readonly number[],
): NaiveRun {
  const instances = kinds.flatMap((kind) =>
    Array.from({ length: kind.count }, (): NaiveInstance => ({ kind, waiting: [], busy: [], turn: 0.5 / kind.weight })),
  );
  const latenciesMs: number[] = [];
  let batches = 0;
  let requestTimeMs = 0;
  let idleWhileWaiting = 0;
  let nowMs = 0;
  const inSystem = ({ waiting, busy }: NaiveInstance) => waiting.length + busy.reduce((sum, { size }) => sum + size, 0);

  const advance = (toMs: number): void => {
    requestTimeMs += (toMs - nowMs) * instances.reduce((sum, instance) => sum + inSystem(instance), 0);
    nowMs = toMs;
  };
  const settle = (): void => {
    for (const { kind, waiting, busy } of instances) {
      for (let i = busy.length - 1; i >= 0; i--) if ((busy[i] as { endMs: number }).endMs <= nowMs) busy.splice(i, 1);
      while (waiting.length > 0 && busy.length < kind.processes) {
        if (waiting.length < kind.maxBatch && nowMs < (waiting[0] as number) + delayMs) break;
        const batch = waiting.splice(0, kind.maxBatch);
        const endMs = nowMs + (kind.batchMs[batch.length] as number);
        busy.push({ endMs, size: batch.length });
        latenciesMs.push(...batch.map((arrivedMs) => endMs - arrivedMs));
        batches += 1;
      }
      if (delayMs === 0 && waiting.length > 0 && busy.length < kind.processes) idleWhileWaiting += 1;
    }
  };
  const nextEventMs = (): number =>
    Math.min(
      ...instances.flatMap(({ kind, waiting, busy }) => [
        ...busy.map(({ endMs }) => endMs),
        ...(waiting.length > 0 && busy.length < kind.processes ? [(waiting[0] as number) + delayMs] : []),
      ]),
      Number.POSITIVE_INFINITY,
    );
  const choose = (): NaiveInstance => {
    const key = (instance: NaiveInstance) =>
      router === 'round-robin' ? instance.turn : (inSystem(instance) + 1) / instance.kind.capacityRps;
    return instances.reduce((best, instance) => (key(instance) < key(best) ? instance : best));
  };

  for (const time of [...times, Number.POSITIVE_INFINITY]) {
    for (let next = nextEventMs(); next <= time && next < Number.POSITIVE_INFINITY; next = nextEventMs()) {
      advance(next);
      settle();
    }
    if (time === Number.POSITIVE_INFINITY) break;
    advance(time);
    const chosen = choose();
    chosen.turn += 1 / chosen.kind.weight;
    chosen.waiting.push(time);
    settle();
  }
  return { latenciesMs, batches, requestTimeMs, idleWhileWaiting };
}
