import { describe, expect, it } from 'vitest';
import type { Node } from '../client/object-types.js';
import type { InferenceWorkload } from '../objects/inference-workload.js';
import type { NodeState } from '../objects/node-state.js';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import { runOperator, watchFloor } from './run-operator.fixture.js';
import { SimulatedCluster } from './simulated-cluster.fixture.js';

const tags = { tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 } };

describe('a new pod template', () => {
  it('is rolled out by the plan of its own pools alone, whatever other plans stand beside it', async () => {
    const cluster = new SimulatedCluster({ seed: 1, nodes: 4, gpusPerNode: 1 });
    for (const [index, node] of cluster.view().nodes.entries()) {
      const labels = { ...node.metadata.labels, pool: index < 2 ? 'a100' : 'other' };
      cluster.put({ ...node, metadata: { ...node.metadata, labels } } as Node);
    }
    cluster.put(aPool());
    cluster.put({ ...aPool({ nodeSelector: { pool: 'other' } }), metadata: { name: 'other' } });
    cluster.put(tables);
    cluster.put(aWorkload('media', tags));
    cluster.put({ ...aWorkload('neighbour', tags, { pools: ['other'] }), metadata: { name: 'neighbour', namespace: 'team' } });
    expect((await runOperator(cluster, { seed: 1 })).settled).toBe(true);
    // Idle slices on every node on which nothing runs, as a released GPU leaves them.
    const profiles = new Set(cluster.view().pods.map(({ metadata }) => metadata.labels?.['inlay.dev/profile'] ?? ''));
    for (const state of cluster.view().nodeStates) {
      if (state.spec.gpus.some(({ instances }) => instances.length > 0)) continue;
      const instances = [...profiles].map((profile, start) => ({ profile, start, uuid: `spare-${state.metadata.name}-${start}` }));
      cluster.put({ ...state, spec: { gpus: state.spec.gpus.map((gpu) => ({ ...gpu, migEnabled: true, instances })) } } as NodeState);
    }
    const workload = cluster.view().workloads.find(({ metadata }) => metadata.name === 'media') as InferenceWorkload;
    const services = workload.spec.services.map((service) => ({
      ...service,
      template: { spec: { containers: [{ name: 'server', image: 'server:2' }] } },
    }));
    cluster.put({ ...workload, spec: { ...workload.spec, services } } as InferenceWorkload);
    const evictions: string[] = [];
    const { settled } = await runOperator(cluster, {
      seed: 2,
      mostRounds: 300,
      onChange: watchFloor(cluster, { 'team.media.tags': 600, 'team.neighbour.tags': 600 }),
      onWrite: (write) => void (write.kind === 'evict' && evictions.push(`${cluster.nowMs} ${write.uid}`)),
    });
    expect(settled).toBe(true);
    expect(evictions.filter((one, index) => evictions.indexOf(one) !== index)).toEqual([]);
    const nodes = cluster
      .view()
      .pods.flatMap(({ metadata, spec }) => (metadata.labels?.['inlay.dev/workload'] === 'media' ? spec.nodeName : []));
    expect(nodes.filter((node) => (node ?? '') > 'node-1')).toEqual([]);
  });

  it('replaces pods that never become ready even while steps wait for them, and keeps the old ones until then', async () => {
    const cluster = new SimulatedCluster({ seed: 1, nodes: 2, gpusPerNode: 1, neverReady: 'server:broken' });
    cluster.put(aPool());
    cluster.put(tables);
    cluster.put(aWorkload('media', tags));
    await runOperator(cluster, { seed: 1 });
    const onChange = watchFloor(cluster, { 'team.media.tags': 600 });
    const setImage = (image: string) => {
      const workload = cluster.view().workloads[0] as InferenceWorkload;
      const template = { spec: { containers: [{ name: 'server', image }] } };
      const services = workload.spec.services.map((service) => ({ ...service, rateRps: 1200, template }));
      cluster.put({ ...workload, spec: { ...workload.spec, services } } as InferenceWorkload);
    };
    setImage('server:broken');
    await runOperator(cluster, { seed: 2, onChange, mostRounds: 60 });
    expect(cluster.view().plans.at(-1)?.status?.phase).toBe('Applying');
    setImage('server:mended');
    await runOperator(cluster, { seed: 3, onChange });
    expect(cluster.view().plans.at(-1)?.status?.phase).toBe('Ready');
  });
});
