import { describe, expect, it } from 'vitest';
import { makeScenario } from '../../verify/transition/transition.fixture.js';
import { aGpuModel, aService } from '../../verify/workload.fixture.js';
import { listCapacities } from './capacity-timeline.js';
import { listRows } from './draw-gantt.js';
import { drawTransition } from './draw-transition.js';
import { formatTime, listTicks } from './time-axis.js';

const before = [aService({ name: 'api', rateRps: 400 }), aService({ name: 'old', rateRps: 100 })];
const after = [aService({ name: 'api', rateRps: 300 }), aService({ name: 'late', rateRps: 200 })];
const { state, transition } = makeScenario({ before, after, backend: 'instance', keepEvery: 100, detour: false });

describe('listCapacities', () => {
  it('tells what is ready at every moment, from what the steps change and the target ends with', () => {
    const lines = listCapacities(state, transition);
    expect(lines.map(({ service, oldRateRps, newRateRps }) => `${service} ${oldRateRps} → ${newRateRps}`)).toEqual([
      'late 0 → 200',
      'old 100 → 0',
    ]);
    expect(lines.map(({ floorRps, points }) => [floorRps, points.map(({ atS, rps }) => `${atS}: ${rps > 0 ? 'some' : 'none'}`)])).toEqual([
      [0, ['0: none', '31: some']],
      [0, ['0: none']],
    ]);
  });

  it('has the floor of a service that is moved', () => {
    const moved = makeScenario({
      before: before.slice(0, 1),
      after: after.slice(0, 1),
      backend: 'gpu-wipe',
      keepEvery: 0,
      detour: false,
    });
    const [line] = listCapacities(moved.state, moved.transition);
    expect(line?.floorRps).toBe(300);
    expect(Math.min(...(line?.points.map(({ rps }) => rps) ?? []))).toBeGreaterThanOrEqual(300);
  });
});

describe('drawTransition', () => {
  it('gives equal bytes for equal transitions, and names every service', () => {
    const draw = () => drawTransition(structuredClone(state), structuredClone(transition), [aGpuModel()]);
    expect(draw()).toBe(draw());
    for (const name of ['api', 'old', 'late']) expect(draw()).toContain(name);
  });

  it('says so where nothing changes', () => {
    const still = { ...transition, steps: [], target: { services: state.services, gpus: state.gpus } };
    expect(drawTransition(state, still, [aGpuModel()])).toContain('No GPU changes.');
  });

  it('counts what it leaves out of a large transition', () => {
    const many = Array.from({ length: 300 }, (_, index) => ({ ...(state.gpus[0] as (typeof state.gpus)[number]), id: `g${index}` }));
    const large = drawTransition({ ...state, gpus: many }, { ...transition, target: { ...transition.target, gpus: [] } }, [aGpuModel()]);
    expect(large).toContain('180 more GPUs change, not drawn');
  });
});

describe('listRows', () => {
  it('lists each GPU with its places beneath it, by start', () => {
    const step = { kind: 'delete-instance' as const, after: [], startS: 0, endS: 1 };
    const rows = listRows([
      { ...step, id: '1', gpu: 'b', profile: '1g', start: 10 },
      { ...step, id: '2', gpu: 'a', profile: '1g', start: 0 },
      { ...step, id: '3', gpu: 'b', profile: '2g', start: 2 },
    ]);
    expect(rows.map(({ label }) => label)).toEqual(['b', '2g@2', '1g@10', 'a', '1g@0']);
  });
});

describe('the time axis', () => {
  it('has even ticks that people can read', () => {
    expect(listTicks(72.7, 10)).toEqual([0, 10, 20, 30, 40, 50, 60, 70]);
    expect(listTicks(0, 10)).toEqual([0]);
    expect([0, 36.7, 119.96, 300, 5400, 7200, 12_600].map(formatTime)).toEqual([
      '0 s',
      '36.7 s',
      '120 s',
      '5 min',
      '90 min',
      '2 h',
      '3 h 30 min',
    ]);
  });
});
