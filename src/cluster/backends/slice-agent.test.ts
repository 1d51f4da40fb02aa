import { describe, expect, it } from 'vitest';
import type { TransitionDocument } from '../../demand/documents/transition.js';
import { aPool, aWorkload, tables } from '../decide/demand.fixture.js';
import { runOperator, watchFloor } from '../decide/run-operator.fixture.js';
import { readyThroughput } from '../decide/simulated-objects.fixture.js';
import type { GpuPoolSpec } from '../objects/gpu-pool.js';
import { builtInBackends } from './registry.js';
import { SlicedCluster, sliceAgent } from './slice-agent.fixture.js';

const before = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
  captions: { model: 'whisper-small', rateRps: 14, latencyMs: 1500 },
};
const after = { tags: 200, search: 700, captions: 20 };
const floors = { 'team.media.tags': 200, 'team.media.search': 300, 'team.media.captions': 14 };
const backends = new Map([...builtInBackends, [sliceAgent.name, sliceAgent]]);
/** The API server would not know the name. */
const backend = sliceAgent.name as GpuPoolSpec['backend'];

function aCluster(seed: number): SlicedCluster {
  const cluster = new SlicedCluster({ seed, nodes: 3, gpusPerNode: 2 });
  cluster.put(aPool({ backend }));
  cluster.put(tables);
  cluster.put(aWorkload('media', before));
  return cluster;
}

const newest = (cluster: SlicedCluster) => cluster.view().plans.toSorted((a, b) => b.spec.sequence - a.spec.sequence)[0];
const stepsOf = (cluster: SlicedCluster) => (newest(cluster)?.spec.transition as TransitionDocument | undefined)?.steps ?? [];

describe('a backend that nothing but the registry handed in knows', () => {
  it('rolls out and follows a demand, instance by instance beside running pods, with every floor kept', async () => {
    let besides = 0;
    for (let seed = 1; seed <= 8; seed++) {
      const cluster = aCluster(seed);
      expect((await runOperator(cluster, { seed, backends })).settled).toBe(true);
      expect(newest(cluster)?.status?.phase).toBe('Ready');
      const ready = readyThroughput(cluster.view());
      for (const [name, { rateRps }] of Object.entries(before)) expect(ready.get(`team.media.${name}`)).toBeGreaterThanOrEqual(rateRps);

      cluster.setRates('media', after);
      const onChange = watchFloor(cluster, floors);
      // Every second life dies after half of its writes.
      const life = await runOperator(cluster, { seed, backends, onChange, deathRate: seed % 2 === 0 ? 0.5 : 0 });
      expect(life.settled, `seed ${seed}`).toBe(true);
      expect(newest(cluster)?.status?.phase, `seed ${seed}`).toBe('Ready');
      expect(stepsOf(cluster).filter(({ kind }) => kind === 'wipe-gpu')).toEqual([]);
      expect(cluster.disturbed, `seed ${seed}`).toBe(false);
      const then = readyThroughput(cluster.view());
      for (const [name, rate] of Object.entries(after)) expect(then.get(`team.media.${name}`)).toBeGreaterThanOrEqual(rate);
      besides += cluster.besides;
    }
    expect(besides).toBeGreaterThan(0);
  });

  it('gives pods what they ask by: an object of its own, there before them', async () => {
    const cluster = aCluster(1);
    await runOperator(cluster, { seed: 1, backends });
    const { deployments, more } = cluster.view();
    const names = more.get('ClaimTemplate')?.map(({ metadata }) => metadata.name) ?? [];
    expect(deployments.length).toBeGreaterThan(0);
    for (const { metadata, spec } of deployments) {
      expect(names).toContain(metadata.name);
      expect(spec.template.spec['resourceClaims']).toEqual([{ name: 'slice', resourceClaimTemplateName: metadata.name }]);
    }
  });

  it('is counted by wipes in a group with one that wipes, and carries those out too', async () => {
    const kinds = [
      { pool: 'a100', product: 'NVIDIA A100-SXM4-80GB' },
      { pool: 'h100', product: 'NVIDIA H100 80GB HBM3' },
    ];
    const cluster = new SlicedCluster({ seed: 1, nodes: 4, gpusPerNode: 1, kinds });
    cluster.put(aPool());
    cluster.put({ ...aPool({ backend, gpu: 'H100-80GB', nodeSelector: { pool: 'h100' } }), metadata: { name: 'h100' } });
    const rows = ['A100-80GB,1g.10gb,1,1,60', 'A100-80GB,2g.20gb,1,1,130', 'H100-80GB,1g.10gb,1,1,100', 'H100-80GB,2g.20gb,1,1,210'];
    const csv = rows.map((row) => `m,${row},10,2\n`).join('');
    const head = 'model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms,memory_gib\n';
    cluster.put({ ...tables, data: { 'a100.csv': head + csv } } as typeof tables);
    const own = { pools: ['a100', 'h100'], latency: { factor: 1 } };
    cluster.put(aWorkload('media', { tags: { model: 'm', rateRps: 1500, latencyMs: 100 } }, own));
    expect((await runOperator(cluster, { seed: 1, backends })).settled).toBe(true);
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    expect(new Set(stepsOf(cluster).map(({ kind }) => kind))).toEqual(new Set(['wipe-gpu', 'start-pod']));
    const [sliced] = cluster.view().pods.filter(({ spec }) => spec.nodeName === 'node-1');
    expect(sliced?.spec['resourceClaims']).toBeDefined();
    cluster.setRates('media', { tags: 700 });
    const onChange = watchFloor(cluster, { 'team.media.tags': 700 });
    expect((await runOperator(cluster, { seed: 2, backends, onChange })).settled).toBe(true);
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    expect(cluster.disturbed).toBe(false);
  });

  it('is refused where it is not handed in', async () => {
    const cluster = aCluster(1);
    await runOperator(cluster, { seed: 1 });
    expect(cluster.view().deployments).toEqual([]);
    const invalid = cluster.view().workloads[0]?.status?.conditions?.find(({ type }) => type === 'Invalid');
    expect(invalid).toMatchObject({ status: 'True', reason: 'BACKEND_UNKNOWN' });
  });
});
