import { describe, expect, it } from 'vitest';
import type { SharingPlan } from '../objects/sharing-plan.js';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import { runOperator, watchFloor } from './run-operator.fixture.js';
import { SimulatedCluster } from './simulated-cluster.fixture.js';

const media = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
};

describe('a plan whose parts somebody has deleted', () => {
  it('gives way to a new one from what runs, and no pod moves', async () => {
    const cluster = new SimulatedCluster({ seed: 1, nodes: 3, gpusPerNode: 2 });
    cluster.put(aPool());
    cluster.put(tables);
    cluster.put(aWorkload('media', media));
    expect((await runOperator(cluster, { seed: 1 })).settled).toBe(true);
    const [plan] = cluster.view().plans as [SharingPlan];
    const { transition: _gone, ...spec } = plan.spec;
    cluster.put({
      ...plan,
      // What was read before is remembered by the uid.
      metadata: { ...plan.metadata, uid: 'lost' },
      spec: { ...spec, transitionRef: { namespace: 'inlay-system', name: plan.metadata.name, chunks: 2 } },
      status: { ...plan.status },
    } as SharingPlan);
    const pods = () => cluster.view().pods.map(({ metadata }) => metadata.name);
    const before = pods();
    const onChange = watchFloor(cluster, { 'team.media.tags': 600, 'team.media.search': 300 });
    expect((await runOperator(cluster, { seed: 2, onChange })).settled).toBe(true);
    const newest = cluster.view().plans.find((one) => one.spec.sequence === 2);
    expect(newest?.status?.phase).toBe('Ready');
    expect(pods()).toEqual(before);
  });
});
