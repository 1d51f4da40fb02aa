import { describe, expect, it } from 'vitest';
import { apiVersion } from '../../demand/documents/common.js';
import type { StateDocument, StateGpu, StateInstance } from '../../demand/documents/state.js';
import { defaultStepDurations, type TransitionDocument } from '../../demand/documents/transition.js';
import type { Workload } from '../../demand/workload.js';
import { verifyTransition } from '../verify-transition.js';
import { aGpuModel, aPool, aService, aWorkload } from '../workload.fixture.js';
import { timeSteps, type UntimedStep } from './transition.fixture.js';
import type { TransitionCheckName } from './transition-checks.js';

const factor = { kind: 'factor', factor: 0.5 } as const;
const workload = aWorkload([aService({ name: 'api', rateRps: 50, latencyMs: 900, latency: factor })]);
/** A pod on a 1g: 60 requests per second measured. */
const pod = { profile: '1g', service: 'api', batch: 1, processes: 1, capacityRps: 60 };
const on = (start: number): StateInstance => ({ ...pod, start });
const gpu = (id: string, instances: readonly StateInstance[], more: Partial<StateGpu> = {}): StateGpu => ({
  id,
  pool: 'syn',
  type: 'SYN-80GB',
  instances: [...instances],
  ...more,
});
const startPod = (id: string, at: string, start: number, ...after: readonly string[]): UntimedStep => ({
  id,
  kind: 'start-pod',
  gpu: at,
  ...pod,
  start,
  after: [...after],
});
const stopPod = (id: string, at: string, start: number, ...after: readonly string[]): UntimedStep => ({
  id,
  kind: 'stop-pod',
  gpu: at,
  ...pod,
  start,
  after: [...after],
});
const create = (id: string, at: string, profile: string, start: number, ...after: readonly string[]): UntimedStep => ({
  id,
  kind: 'create-instance',
  gpu: at,
  profile,
  start,
  after: [...after],
});
const remove = (id: string, at: string, profile: string, start: number, ...after: readonly string[]): UntimedStep => ({
  id,
  kind: 'delete-instance',
  gpu: at,
  profile,
  start,
  after: [...after],
});

interface Case {
  readonly before: readonly StateGpu[];
  readonly after: readonly StateGpu[];
  readonly steps: readonly UntimedStep[];
  readonly workload?: Workload;
  readonly oldRateRps?: number;
  readonly changes?: Partial<TransitionDocument>;
}

/** What a check says of a small transition; counts and peak are not filled in. */
function violationsOf(check: TransitionCheckName, { before, after, steps, changes, oldRateRps = 50, ...given }: Case) {
  const demand = given.workload ?? workload;
  const services = demand.services.map(({ name, model, rateRps, latencyMs }) => ({ name, model, rateRps, latencyMs }));
  const state: StateDocument = {
    apiVersion,
    kind: 'State',
    metadata: { name: 'now' },
    services: services.map((service) => ({ ...service, rateRps: oldRateRps })),
    gpus: [...before],
  };
  const counts = {
    kept: 0,
    podStarts: 0,
    restartsInPlace: 0,
    moves: 0,
    temporaryPods: 0,
    instanceCreations: 0,
    instanceDeletions: 0,
    wipes: 0,
    gpusTouched: 0,
  };
  const timed = timeSteps(steps);
  const transition: TransitionDocument = {
    apiVersion,
    kind: 'Transition',
    metadata: { name: 'small' },
    backend: 'instance',
    floor: 'raw',
    durations: defaultStepDurations,
    target: { services, gpus: [...after] },
    steps: timed,
    makespanS: Math.max(0, ...timed.map(({ endS }) => endS)),
    maxExtraGpus: 0,
    peakGpus: 1,
    counts,
    bounds: {},
    ...changes,
  };
  const report = verifyTransition(state, transition, demand);
  return report.checks.find(({ name }) => name === check)?.violations.map(({ message }) => message);
}

describe('the floor', () => {
  const exchange = {
    before: [gpu('g0', [on(0)])],
    after: [gpu('g0', [on(1)])],
    steps: [create('c', 'g0', '1g', 1), startPod('s', 'g0', 1, 'c'), stopPod('t', 'g0', 0, 's'), remove('d', 'g0', '1g', 0, 't')],
  };

  it('is what the start has where that is less than both rates', () => {
    const more = aWorkload([aService({ name: 'api', rateRps: 100, latencyMs: 900, latency: factor })]);
    const grown = { ...exchange, after: [gpu('g0', [on(1), on(2)])], workload: more, oldRateRps: 100 };
    const steps = [...exchange.steps.slice(0, 3), create('c2', 'g0', '1g', 2), startPod('s2', 'g0', 2, 'c2'), ...exchange.steps.slice(3)];
    expect(violationsOf('floor', { ...grown, steps })).toEqual([]);
    expect(violationsOf('floor under delay', { ...grown, steps })).toEqual([]);
    const early = steps.map((step) => (step.id === 't' ? { ...step, after: [] } : step));
    expect(violationsOf('floor', { ...grown, steps: early })).toEqual(['api: falls below its floor at 0 s, when t starts.']);
  });

  it('counts only what may be planned where it is the planned one', () => {
    const half = aWorkload([aService({ name: 'api', rateRps: 50, latencyMs: 900, latency: factor, maxUtilization: 0.5 })]);
    const two = {
      before: [gpu('g0', [on(0), on(1)])],
      after: [gpu('g0', [on(1), on(2)])],
      steps: [create('c', 'g0', '1g', 2), stopPod('t', 'g0', 0), startPod('s', 'g0', 2, 'c'), remove('d', 'g0', '1g', 0, 't')],
      workload: half,
    };
    expect(violationsOf('floor', two)).toEqual([]);
    expect(violationsOf('floor', { ...two, changes: { floor: 'planned' } })).toEqual(['api: falls below its floor at 0 s, when t starts.']);
    expect(violationsOf('demand', two)).toEqual([]);
  });

  it('is 0 for a service that is new or leaves', () => {
    const steps = [stopPod('t', 'g0', 0), remove('d', 'g0', '1g', 0, 't')];
    expect(violationsOf('floor', { before: [gpu('g0', [on(0)])], after: [], steps, oldRateRps: 0 })).toEqual([]);
  });
});

describe('what others hold', () => {
  const others: StateInstance = { profile: '3g', start: 4, service: 'theirs', reserved: true };

  it('stays, whether or not the target lists it', () => {
    const held = gpu('g1', [on(0)], { reserved: true });
    const before = [gpu('g0', [on(0), others]), held];
    const steps = [create('c', 'g0', '1g', 1), startPod('s', 'g0', 1, 'c'), stopPod('t', 'g0', 0, 's'), remove('d', 'g0', '1g', 0, 't')];
    expect(violationsOf('target', { before, after: [gpu('g0', [on(1), others])], steps })).toEqual([]);
    expect(violationsOf('target', { before, after: [gpu('g0', [on(1), others]), held], steps })).toEqual([]);
    expect(violationsOf('target', { before, after: [gpu('g0', [on(1)])], steps })).toEqual(['g0: the steps do not end in the target.']);
  });

  it('counts neither as used nor towards the floor', () => {
    const before = [gpu('g0', [{ ...on(0), reserved: true }]), gpu('g1', [on(0)])];
    expect(violationsOf('peak', { before, after: before, steps: [] })).toEqual([]);
    const steps = [stopPod('t', 'g1', 0), startPod('s', 'g1', 0, 't')];
    expect(violationsOf('floor', { before, after: before, steps })).toHaveLength(1);
  });

  it('keeps a GPU from being wiped', () => {
    const wipe: UntimedStep = { id: 'w', kind: 'wipe-gpu', gpu: 'g0', layout: [], after: [] };
    const before = [gpu('g0', [others])];
    expect(violationsOf('reserved', { before, after: [], steps: [wipe], changes: { backend: 'gpu-wipe' } })).toEqual([
      'w (wipe-gpu g0, 0 s): others hold an instance of the GPU.',
    ]);
  });
});

describe('the GPUs of a pool', () => {
  const exchange = {
    before: [gpu('g0', [on(0)]), gpu('g1', [])],
    steps: [stopPod('t', 'g0', 0), remove('d', 'g0', '1g', 0, 't'), create('c', 'g2', '1g', 0, 'd'), startPod('s', 'g2', 0, 'c')],
    after: [gpu('g2', [on(0)])],
  };
  const withCount = (count: number) => ({ ...workload, pools: [aPool({ count })] });

  it('are not more than it has, even one after the other', () => {
    expect(violationsOf('peak', { ...exchange, workload: withCount(3) })).toEqual([]);
    expect(violationsOf('peak', { ...exchange, workload: withCount(2) })).toEqual([
      'Pool syn has fewer GPUs than the state and the target name.',
    ]);
  });
});

describe('the order under delay', () => {
  const model = aGpuModel();
  const withMedia = { ...workload, pools: [aPool({ profiles: model.profiles })] };
  const idle = (profile: string, start: number): StateInstance => ({ profile, start, service: null });

  it('holds what instances share beyond slices', () => {
    const swap = (...after: readonly string[]): Case => ({
      before: [gpu('g0', [on(2), idle('1g+me', 0)])],
      after: [gpu('g0', [on(2), idle('1g+me', 4)])],
      steps: [remove('d', 'g0', '1g+me', 0), create('w', 'g1', '1g', 0), create('c', 'g0', '1g+me', 4, ...after)],
      workload: withMedia,
    });
    expect(violationsOf('order', swap('d'))).toEqual([]);
    expect(violationsOf('order', swap('w'))).toEqual(['g0: with c taken, there may be too many instances of 1g+me.']);
  });

  it('needs no direct dependency where one follows from others', () => {
    const steps = [
      stopPod('t', 'g0', 0),
      remove('d', 'g0', '1g', 0, 't'),
      create('x', 'g1', '1g', 0, 'd'),
      create('c', 'g0', '2g', 0, 'x'),
    ];
    const moved = { before: [gpu('g0', [on(0)])], after: [gpu('g0', [idle('2g', 0)]), gpu('g1', [idle('1g', 0)])], steps };
    expect(violationsOf('order', moved)).toEqual([]);
    const loose = steps.map((step) => (step.id === 'x' ? { ...step, after: ['t'] } : step));
    expect(violationsOf('order', { ...moved, steps: loose })).toEqual([
      'c and d use memory slice 0 of g0, and neither waits for the other.',
    ]);
  });
});

describe('the backend node', () => {
  it('takes GPUs without a node for nodes of their own', () => {
    const wipe = (id: string, at: string): UntimedStep => ({
      id,
      kind: 'wipe-gpu',
      gpu: at,
      layout: [{ profile: '1g', start: 0 }],
      after: [],
    });
    const idle: StateInstance = { profile: '1g', start: 0, service: null };
    const both = (node?: string): Case => {
      const after = ['a', 'b'].map((id) => gpu(id, [idle], node === undefined ? {} : { node }));
      return { before: [], after, steps: [wipe('w', 'a'), wipe('v', 'b')], changes: { backend: 'node' } };
    };
    expect(violationsOf('backend', both())).toEqual([]);
    expect(violationsOf('backend', both('n'))).toEqual(['v: w still wipes a GPU of the same node.']);
  });
});
