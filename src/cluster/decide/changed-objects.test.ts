import { describe, expect, it } from 'vitest';
import type { Node } from '../client/object-types.js';
import {
  after,
  atEveryWrite,
  before,
  conditionOf,
  floor,
  isCutting,
  leftOnNodes,
  newest,
  rolledOut,
  run,
  takesAway,
} from './changed-objects.fixture.js';
import { aPool, aWorkload } from './demand.fixture.js';
import { watchFloor } from './run-operator.fixture.js';
import { readyThroughput } from './simulated-objects.fixture.js';

describe('a pool that is switched to a person in the middle of a change', () => {
  it('keeps its pods and Deployments, its nodes are opened, and switched back the operator goes on', async () => {
    const start = await rolledOut();
    for (const [n, cluster] of await atEveryWrite(start, 2)) {
      cluster.put(aPool({ backend: 'manual' }));
      const watch = watchFloor(cluster, floor);
      const writes = await run(cluster, n, watch);
      expect(takesAway(writes), `after write ${n}`).toEqual([]);
      expect(writes.filter(({ resource }) => ['Deployment', 'Service', 'PodDisruptionBudget', 'Pod'].includes(resource.kind))).toEqual([]);
      expect(leftOnNodes(cluster), `after write ${n}`).toEqual([]);
      cluster.put(aPool());
      await run(cluster, n, watch);
      expect(newest(cluster)?.status?.phase, `after write ${n}`).toBe('Ready');
      for (const [name, rate] of Object.entries(after))
        expect(readyThroughput(cluster.view()).get(`team.media.${name}`)).toBeGreaterThanOrEqual(rate);
      expect(leftOnNodes(cluster)).toEqual([]);
      expect(cluster.disturbed).toBe(false);
    }
  });

  it('stands as it is when nothing is under way', async () => {
    const cluster = await rolledOut();
    cluster.put(aPool({ backend: 'manual' }));
    const kinds = new Set((await run(cluster, 2)).map(({ resource }) => resource.kind));
    expect([...kinds]).toEqual(['ConfigMap']);
    expect(newest(cluster)).toMatchObject({ spec: { sequence: 1 }, status: { phase: 'Ready' } });
    cluster.put(aPool());
    expect(await run(cluster, 3)).toEqual([]);
  });
});

describe('a pool that is deleted in the middle of a change', () => {
  it('leaves pods where they are and nodes open; made again, the operator goes on', async () => {
    const start = await rolledOut();
    for (const [n, cluster] of await atEveryWrite(start)) {
      cluster.drop('GpuPool', 'a100');
      const watch = watchFloor(cluster, floor);
      expect(takesAway(await run(cluster, n, watch)), `after write ${n}`).toEqual([]);
      expect(conditionOf(cluster, 'media', 'Invalid')?.reason).toBe('POOL_UNKNOWN');
      expect(leftOnNodes(cluster), `after write ${n}`).toEqual([]);
      expect(isCutting(cluster)).toBe(false);
      cluster.put(aPool());
      await run(cluster, n, watch);
      expect(newest(cluster)?.status?.phase, `after write ${n}`).toBe('Ready');
      expect(leftOnNodes(cluster)).toEqual([]);
    }
  });
});

describe('a workload that is deleted in the middle of a change', () => {
  it('leaves no pod, no cordon and no plan that says it is carried out', async () => {
    const start = await rolledOut();
    for (const [n, cluster] of await atEveryWrite(start)) {
      cluster.deleteWithDependents('InferenceWorkload', 'media', 'team');
      await run(cluster, n);
      const { pods, deployments, budgets, services, plans } = cluster.view();
      expect(
        [pods, deployments, budgets, services].map((list) => list.length),
        `after write ${n}`,
      ).toEqual([0, 0, 0, 0]);
      expect(leftOnNodes(cluster), `after write ${n}`).toEqual([]);
      expect(isCutting(cluster)).toBe(false);
      expect(new Set(plans.map(({ status }) => status?.phase))).toEqual(new Set(['Superseded']));
    }
    const cluster = start.fork(7);
    cluster.deleteWithDependents('InferenceWorkload', 'media', 'team');
    await run(cluster, 7);
    cluster.put(aWorkload('other', before));
    await run(cluster, 8);
    expect(newest(cluster)).toMatchObject({ spec: { sequence: 2 }, status: { phase: 'Ready' } });
    expect(readyThroughput(cluster.view()).get('team.other.tags')).toBeGreaterThanOrEqual(600);
  });

  it('beside another one takes nothing from that one', async () => {
    const start = await rolledOut({ nodes: 3 });
    const other = aWorkload('other', { captions: { model: 'whisper-small', rateRps: 14, latencyMs: 1500 } });
    start.put(other);
    await run(start, 2);
    for (const [n, cluster] of await atEveryWrite(start, 4)) {
      cluster.deleteWithDependents('InferenceWorkload', 'media', 'team');
      await run(cluster, n, watchFloor(cluster, { 'team.other.captions': 14 }));
      expect(newest(cluster)?.status?.phase, `after write ${n}`).toBe('Ready');
      expect(leftOnNodes(cluster)).toEqual([]);
    }
  });
});

describe('a node that leaves its pool in the middle of a change', () => {
  it('is opened and left as it is, and its pods go only when others do their work', async () => {
    const start = await rolledOut({ nodes: 4, gpusPerNode: 1 });
    for (const [n, cluster] of await atEveryWrite(start, 2)) {
      const gone = ['node-0', 'node-1'];
      for (const node of cluster.view().nodes.filter(({ metadata }) => gone.includes(metadata.name)))
        cluster.put({ ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, pool: 'other' } } } as Node);
      await run(cluster, n, watchFloor(cluster, floor));
      expect(leftOnNodes(cluster), `after write ${n}`).toEqual([]);
      expect(isCutting(cluster)).toBe(false);
      expect(newest(cluster)?.status?.phase, `after write ${n}`).toBe('Ready');
      const { pods } = cluster.view();
      expect(
        pods.filter(({ spec }) => gone.includes(spec.nodeName ?? '')),
        `after write ${n}`,
      ).toEqual([]);
      expect(pods.filter(({ spec }) => spec.nodeName === undefined)).toEqual([]);
      for (const [name, rate] of Object.entries(after))
        expect(readyThroughput(cluster.view()).get(`team.media.${name}`)).toBeGreaterThanOrEqual(rate);
    }
  });
});
