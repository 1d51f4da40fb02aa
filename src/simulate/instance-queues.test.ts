import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createArrivalSource } from './arrival-source.js';
import { createDispatcher } from './dispatchers.js';
import { InstanceQueues } from './instance-queues.js';
import { LatencyHistogram } from './latency-histogram.js';
import { simulateNaively } from './naive-queues.fixture.js';
import { aKind } from './simulate.fixture.js';
import type { InstanceKind, Router } from './simulated-service.js';

const kinds = fc
  .array(
    fc.record({
      count: fc.integer({ min: 1, max: 3 }),
      processes: fc.integer({ min: 1, max: 3 }),
      maxBatch: fc.integer({ min: 1, max: 5 }),
      perBatchMs: fc.double({ min: 1, max: 20, noNaN: true }),
      perRequestMs: fc.double({ min: 0, max: 5, noNaN: true }),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => parts.map(aKind).sort((a, b) => b.capacityRps - a.capacityRps));
const load = fc.double({ min: 0.1, max: 1.3, noNaN: true });
const seed = fc.nat(1e6);

function runFast(of: readonly InstanceKind[], router: Router, delayMs: number, times: Float64Array) {
  const histogram = new LatencyHistogram(50);
  const queues = new InstanceQueues(of, { delayMs, batchVariation: 0, seed: 1 }, histogram);
  createDispatcher(router, of, queues, 9).dispatch(times);
  queues.finish();
  return { counts: histogram.take(), totals: queues.takeTotals() };
}

function arrivalsFor(of: readonly InstanceKind[], share: number, from: number): Float64Array {
  const capacity = of.reduce((sum, { count, capacityRps }) => sum + count * capacityRps, 0);
  const times = new Float64Array(150);
  createArrivalSource({ kind: 'renewal', burstiness: 1.5 }, share * capacity, from).fill(times);
  return times;
}

describe('InstanceQueues', () => {
  it.each(['round-robin', 'shortest-queue'] as const)('does what a simulation by the event does: %s', (router) => {
    fc.assert(
      fc.property(kinds, load, seed, fc.constantFrom(0, 3, 40), (of, share, from, delayMs) => {
        const times = arrivalsFor(of, share, from);
        const naive = simulateNaively(of, router, delayMs, [...times]);
        const { counts, totals } = runFast(of, router, delayMs, times);
        expect(counts.count).toBe(times.length);
        expect(totals.batches).toBe(naive.batches);
        expect(counts.maxMs).toBeCloseTo(Math.max(...naive.latenciesMs), 6);
        expect(counts.sumMs).toBeCloseTo(
          naive.latenciesMs.reduce((sum, ms) => sum + ms, 0),
          4,
        );
        expect(naive.idleWhileWaiting).toBe(0);
      }),
      { seed: 11, numRuns: 150 },
    );
  });

  it("keeps Little's law: time spent in the system is the integral of how many are in it", () => {
    fc.assert(
      fc.property(kinds, load, seed, (of, share, from) => {
        const times = arrivalsFor(of, share, from);
        const { counts } = runFast(of, 'round-robin', 0, times);
        const { requestTimeMs } = simulateNaively(of, 'round-robin', 0, [...times]);
        expect(counts.sumMs / requestTimeMs).toBeCloseTo(1, 9);
      }),
      { seed: 12, numRuns: 50 },
    );
  });

  it.each(['random', 'two-choices'] as const)('loses and doubles no request: %s', (router) => {
    fc.assert(
      fc.property(kinds, load, seed, (of, share, from) => {
        const { counts, totals } = runFast(of, router, 0, arrivalsFor(of, share, from));
        expect([counts.count, totals.batchedRequests]).toEqual([150, 150]);
      }),
      { seed: 13, numRuns: 50 },
    );
  });

  it('shares requests out by weight, in turn and by chance', () => {
    const of = [aKind({ weight: 3, maxBatch: 1 }), aKind({ weight: 1, maxBatch: 1 })];
    const sent = [0, 0];
    const queues = { arrive: (instance: number) => (sent[instance] = (sent[instance] as number) + 1) } as unknown as InstanceQueues;
    createDispatcher('round-robin', of, queues, 1).dispatch(new Float64Array(400));
    expect(sent).toEqual([300, 100]);
    createDispatcher('random', of, queues, 1).dispatch(new Float64Array(40_000));
    expect((sent[0] as number) / 40_400).toBeCloseTo(0.75, 1.7);
  });

  it('gives up those that wait when told to', () => {
    const histogram = new LatencyHistogram(50);
    const queues = new InstanceQueues([aKind({ maxBatch: 2 })], { delayMs: 0, batchVariation: 0, seed: 1 }, histogram);
    for (const time of [0, 1, 2, 3]) queues.arrive(0, time);
    expect(queues.inSystem(0, 3)).toBe(4);
    expect(queues.drop(0)).toBe(3);
    queues.finish();
    expect(histogram.take().count).toBe(1);
  });
});
