import { describe, expect, it } from 'vitest';
import { aRow, aService, aWorkload } from '../../demand/demand.fixture.js';
import type { StateDocument } from '../../demand/documents/state.js';
import type { TransitionDocument, TransitionStep } from '../../demand/documents/transition.js';
import { aKind } from '../simulate.fixture.js';
import { describeSchedule } from './describe-schedule.js';
import type { Schedule } from './schedule.js';
import type { ScheduledPod, ScheduledService } from './scheduled-service.js';
import { simulateSchedule } from './simulate-schedule.js';

const forever = Number.POSITIVE_INFINITY;
const { count: _, ...instance } = aKind({ maxBatch: 1, perBatchMs: 10, perRequestMs: 0 });
const aPod = (parts: Partial<ScheduledPod> = {}): ScheduledPod => ({ instance, opensMs: 0, closesMs: forever, endsMs: forever, ...parts });

function play(parts: Partial<ScheduledService>) {
  const service: ScheduledService = {
    name: 's',
    limitsMs: [20, 20, 20],
    percentile: 99,
    burstiness: 0,
    rates: [{ lengthMs: 3000, rateRps: 80 }],
    pods: [aPod()],
    phases: [0, 1, 2].map((i) => ({ kind: i === 1 ? 'move' : 'steady', fromMs: 1000 * i, toMs: 1000 * (i + 1) })),
    ...parts,
  };
  return simulateSchedule({ service, batching: { delayMs: 0, batchVariation: 0 }, seed: 1 }).phases;
}

const sum = (phases: ReturnType<typeof play>, key: 'requests' | 'late' | 'lost') => phases.reduce((total, phase) => total + phase[key], 0);

describe('simulateSchedule', () => {
  it('serves every request where nothing changes', () => {
    const phases = play({});
    expect(phases.every(({ meets }) => meets)).toBe(true);
    expect([sum(phases, 'requests'), sum(phases, 'late'), sum(phases, 'lost')]).toEqual([239, 0, 0]);
  });

  it('loses what comes while no pod is open, in the phase it happens', () => {
    const phases = play({ pods: [aPod({ closesMs: 1000, endsMs: 1010 }), aPod({ opensMs: 1500 })] });
    expect(phases.map(({ lost }) => lost)).toEqual([0, 40, 0]);
    expect(phases.map(({ meets }) => meets)).toEqual([true, false, true]);
  });

  it('lets a pod that closes work off its queue until it ends, then gives up the rest', () => {
    const rates = [
      { lengthMs: 1000, rateRps: 200 },
      { lengthMs: 2000, rateRps: 0 },
    ];
    const drained = play({ rates, pods: [aPod({ closesMs: 1000 })] });
    expect([sum(drained, 'requests'), sum(drained, 'lost')]).toEqual([199, 0]);
    const cut = play({ rates, pods: [aPod({ closesMs: 1000, endsMs: 1200 })] });
    expect(sum(cut, 'requests')).toBe(199);
    expect(cut[1]?.lost).toBeGreaterThan(70);
    expect(cut[1]?.lost).toBeLessThan(85);
  });

  it('is late, not lost, while a queue builds up and is worked off', () => {
    const phases = play({
      rates: [
        { lengthMs: 1000, rateRps: 80 },
        { lengthMs: 1000, rateRps: 150 },
        { lengthMs: 1000, rateRps: 10 },
      ],
    });
    expect(sum(phases, 'lost')).toBe(0);
    expect(phases[1]?.late).toBeGreaterThan(90);
    expect(phases[2]?.p99Ms).toBeGreaterThan(100);
  });

  it('holds each phase against its own limit', () => {
    expect(play({ limitsMs: [20, 5, 20] }).map(({ meets }) => meets)).toEqual([true, false, true]);
  });

  it('gives a pod that joins no flood', () => {
    const phases = play({ rates: [{ lengthMs: 3000, rateRps: 90 }], pods: [aPod(), aPod({ opensMs: 1000 })] });
    expect(sum(phases, 'late')).toBe(0);
  });

  it('has nothing to say of a service without requests', () => {
    expect(play({ rates: [{ lengthMs: 3000, rateRps: 0 }], pods: [] }).every(({ requests, meets }) => requests === 0 && meets)).toBe(true);
  });
});

const rows = [aRow({ batch: 1, throughputRps: 100 }), aRow({ batch: 1, profile: '7g.80gb', throughputRps: 500 })];
const workloadAt = (rateRps: number, name = 's') => aWorkload({ services: [aService({ name, rateRps, latencyMs: 60 })], rows });
const gpu = (id: string, profile: string, service = 's') => ({
  id,
  pool: 'a100',
  type: 'A100-80GB',
  instances: [{ profile, start: 0, service, batch: 1, processes: 1, capacityRps: 100 }],
});
const state = (...gpus: ReturnType<typeof gpu>[]) => ({ kind: 'State', gpus }) as unknown as StateDocument;
const pod = (id: string, profile: string) => ({ gpu: id, start: 0, profile, service: 's', batch: 1, processes: 1, capacityRps: 100 });
const transition = (...steps: readonly Partial<TransitionStep>[]) =>
  ({ kind: 'Transition', makespanS: 35, target: { gpus: [gpu('g2', '7g.80gb')] }, steps }) as unknown as TransitionDocument;
const move = transition(
  { kind: 'start-pod', ...pod('g2', '7g.80gb'), startS: 0, endS: 30 },
  { kind: 'stop-pod', ...pod('g1', '1g.10gb'), startS: 30, endS: 35 },
);

function describeFirst(schedule: Pick<Schedule, 'periods'> & Partial<Schedule>) {
  return describeSchedule({ name: 'day', endS: 200, ...schedule })[0] as ScheduledService;
}

describe('describeSchedule', () => {
  it('opens, closes and ends pods as a transition says, and cuts phases where it moves', () => {
    const service = describeFirst({
      periods: [
        { startS: 0, workload: workloadAt(40), serving: { kind: 'state', state: state(gpu('g1', '1g.10gb')) } },
        { startS: 100, workload: workloadAt(300), serving: { kind: 'transition', transition: move, startS: 60 } },
      ],
    });
    expect(service.pods.map(({ opensMs, closesMs, endsMs }) => [opensMs, closesMs, endsMs])).toEqual([
      [0, 90_000, 95_000],
      [90_000, forever, forever],
    ]);
    expect(service.phases.map(({ kind, fromMs, toMs }) => [kind, fromMs / 1000, toMs / 1000])).toEqual([
      ['steady', 0, 60],
      ['move', 60, 95],
      ['steady', 95, 100],
      ['steady', 100, 200],
    ]);
    expect(service.rates).toEqual([
      { lengthMs: 100_000, rateRps: 40 },
      { lengthMs: 100_000, rateRps: 300 },
    ]);
    const { phases } = simulateSchedule({ service, batching: { delayMs: 0, batchVariation: 0 }, seed: 3 });
    expect(phases.map(({ meets }) => meets)).toEqual([true, true, true, true]);
  });

  it('shows what a move in the wrong order costs', () => {
    const gap = transition(
      { kind: 'stop-pod', ...pod('g1', '1g.10gb'), startS: 0, endS: 5 },
      { kind: 'start-pod', ...pod('g2', '7g.80gb'), startS: 5, endS: 35 },
    );
    const service = describeFirst({
      periods: [
        { startS: 0, workload: workloadAt(40), serving: { kind: 'state', state: state(gpu('g1', '1g.10gb')) } },
        { startS: 100, workload: workloadAt(40), serving: { kind: 'transition', transition: gap, startS: 100 } },
      ],
    });
    const { phases } = simulateSchedule({ service, batching: { delayMs: 0, batchVariation: 0 }, seed: 3 });
    expect(phases.map(({ lost }) => lost > 1000)).toEqual([false, true, false]);
  });

  it('replaces one state by another at once, and keeps what runs where nothing is said', () => {
    const service = describeFirst({
      periods: [
        { startS: 0, workload: workloadAt(40), serving: { kind: 'state', state: state(gpu('g1', '1g.10gb')) } },
        { startS: 50, workload: workloadAt(80), serving: { kind: 'same' } },
        { startS: 100, workload: workloadAt(40), serving: { kind: 'state', state: state(gpu('g1', '7g.80gb')) } },
      ],
    });
    expect(service.pods.map(({ opensMs, closesMs }) => [opensMs, closesMs])).toEqual([
      [0, 100_000],
      [100_000, forever],
    ]);
  });

  it('refuses a transition that does not start from what runs', () => {
    const periods = [
      { startS: 0, workload: workloadAt(40), serving: { kind: 'state', state: state(gpu('g3', '1g.10gb')) } },
      { startS: 100, workload: workloadAt(40), serving: { kind: 'transition', transition: move, startS: 100 } },
    ] as const;
    expect(() => describeFirst({ periods })).toThrow(expect.objectContaining({ code: 'PLAN_MISMATCH' }));
  });
});
