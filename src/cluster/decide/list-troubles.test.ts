import { describe, expect, it } from 'vitest';
import type { Deployment, Pod } from '../client/object-types.js';
import { slotGate } from '../objects/names.js';
import { listTroubles, type Refusal } from './list-troubles.js';

const workload = { namespace: 'team', name: 'media' };
const labels = {
  'app.kubernetes.io/managed-by': 'inlay',
  'inlay.dev/workload': 'media',
  'inlay.dev/service': 'tags',
  'inlay.dev/gpu-model': 'A100-80GB',
  'inlay.dev/profile': '1g.10gb',
  'inlay.dev/batch': '1',
  'inlay.dev/processes': '1',
};
const at = (ms: number) => new Date(ms).toISOString();
const nowMs = Date.parse('2026-01-01T00:10:00Z');
const aPod = (name: string, sinceMs: number, gated = false): Pod => ({
  metadata: { name, namespace: 'team', labels, annotations: gated ? {} : { 'inlay.dev/gpu': 'node-0/0' } },
  spec: { containers: [], ...(gated && { schedulingGates: [{ name: slotGate }] }) },
  status: {
    conditions: [
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes', lastTransitionTime: at(nowMs - sinceMs) },
    ],
  },
});

describe('troubles of a workload', () => {
  it('are the refusals that concern it: of its own objects and pods, and of what belongs to nobody', () => {
    const refusals: Refusal[] = [
      { kind: 'Deployment', namespace: 'team', name: 'media-tags', workload: 'media', message: 'no image' },
      { kind: 'Deployment', namespace: 'team', name: 'media-tags', workload: 'media-tags', message: 'of a namesake' },
      { kind: 'Deployment', namespace: 'other', name: 'media-tags', workload: 'media', message: 'of a neighbour' },
      { kind: 'Pod', namespace: 'team', name: 'own', message: 'bad selector' },
      { kind: 'Pod', namespace: 'team', name: 'foreign', message: 'not its own' },
      { kind: 'ConfigMap', namespace: 'gpu-operator', name: 'configs', message: 'no such namespace' },
    ];
    const view = { deployments: [], pods: [aPod('own', 0)] };
    expect(listTroubles(view, workload, refusals, nowMs)).toEqual([
      'The API server refuses Deployment media-tags: no image.',
      'The API server refuses Pod own: bad selector.',
      'The API server refuses ConfigMap configs: no such namespace.',
    ]);
  });

  it('are Deployments that may make no pods, and pods with a slot that fit nowhere for a minute', () => {
    const failing = {
      metadata: { name: 'media-tags', namespace: 'team', labels },
      spec: { selector: {}, template: { spec: { containers: [] } } },
      status: { conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'service account x was not found.' }] },
    } as Deployment;
    const pods = [aPod('late', 60_000), aPod('fresh', 59_999), aPod('waiting', 1e6, true)];
    expect(listTroubles({ deployments: [failing], pods }, workload, [], nowMs)).toEqual([
      'Deployment media-tags can make no pods: service account x was not found.',
      'Pod late fits on no node: 0/1 nodes.',
    ]);
  });

  it('are at most five, and how many more', () => {
    const pods = Array.from({ length: 8 }, (_, n) => aPod(`p${n}`, 1e6));
    const told = listTroubles({ deployments: [], pods }, workload, [], nowMs);
    expect(told).toHaveLength(6);
    expect(told[5]).toBe('And 3 more.');
  });
});
