import { describe, expect, it } from 'vitest';
import type { TransitionDocument } from '../../demand/documents/transition.js';
import type { SharingPlan } from '../objects/sharing-plan.js';
import { createMemory } from './memory.js';
import { loadTransition, storeTransition } from './plan-storage.js';

/** A transition of so many steps, none like another, so that it does not compress to nothing. */
function aTransition(steps: number): TransitionDocument {
  const bound = { achieved: 1, limit: 1, gap: 0 };
  return {
    apiVersion: 'inlay.dev/v1alpha1',
    kind: 'Transition',
    metadata: { name: 'large' },
    backend: 'node',
    floor: 'raw',
    durations: { 'create-instance': 1, 'delete-instance': 1, 'start-pod': 30, 'stop-pod': 5, 'wipe-gpu': 5 },
    target: { services: [], gpus: [] },
    steps: Array.from({ length: steps }, (_, n) => ({
      kind: 'start-pod',
      id: `s${n}`,
      gpu: `node-${(n * 7919) % 99_991}/${n % 8}`,
      after: n === 0 ? [] : [`s${(n * 31) % n}`],
      startS: n / 7,
      endS: n / 7 + 30,
      profile: '1g.10gb',
      start: n % 7,
      service: `team.media.s${(n * 104_729) % 1009}`,
      batch: 8,
      processes: 3,
      capacityRps: Math.sqrt(n),
    })),
    makespanS: steps,
    maxExtraGpus: 0,
    peakGpus: 1,
    counts: {
      kept: 0,
      podStarts: steps,
      restartsInPlace: 0,
      moves: 0,
      temporaryPods: 0,
      instanceCreations: 0,
      instanceDeletions: 0,
      wipes: 0,
      gpusTouched: 1,
    },
    bounds: { gpus: bound },
  };
}

const planOf = (spec: Partial<SharingPlan['spec']>): SharingPlan => ({
  metadata: { name: 'a100-1', uid: `${Math.sqrt(2)}` },
  spec: { planId: 'x', ...spec } as SharingPlan['spec'],
});

describe('storeTransition', () => {
  it('keeps a small transition inside the plan', () => {
    const { spec, parts } = storeTransition(aTransition(10), 'a100-1');
    expect(parts).toEqual([]);
    expect(loadTransition(planOf(spec), [], createMemory())).toEqual(aTransition(10));
  });

  it('puts a large one into ConfigMaps that each fit, and finds it again only when all are there', () => {
    const large = aTransition(40_000);
    const { spec, parts } = storeTransition(large, 'a100-1');
    expect(spec.transition).toBeUndefined();
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(JSON.stringify(part).length).toBeLessThan(1024 * 1024);
    const memory = createMemory();
    expect(loadTransition(planOf(spec), parts.slice(1), memory)).toBeUndefined();
    expect(loadTransition(planOf(spec), parts, memory)).toEqual(large);
  });

  it('takes nothing for a transition that is none', () => {
    expect(loadTransition(planOf({ transition: { kind: 'Transition' } }), [], createMemory())).toBeUndefined();
  });
});
