import { describe, expect, it } from 'vitest';
import type { ConfigMap } from '../client/object-types.js';
import { after, before, conditionOf, floor, newest, rolledOut, run, takesAway } from './changed-objects.fixture.js';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import { watchFloor } from './run-operator.fixture.js';
import { SimulatedCluster } from './simulated-cluster.fixture.js';
import { readyThroughput } from './simulated-objects.fixture.js';

describe('a workload that can no longer be planned beside one that can', () => {
  async function twoTeams(): Promise<SimulatedCluster> {
    const cluster = await rolledOut({ nodes: 3 });
    const other = aWorkload('other', { captions: { model: 'whisper-small', rateRps: 14, latencyMs: 1500 } });
    cluster.put({ ...tables, metadata: { name: 'tables', namespace: 'guests' } } as ConfigMap);
    cluster.put({ ...other, metadata: { name: 'other', namespace: 'guests' } });
    await run(cluster, 2);
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    return cluster;
  }

  it.each([
    [
      'because its namespace may not use the pool any more',
      'POOL_NOT_ALLOWED',
      (cluster: SimulatedCluster, away: boolean) => cluster.put(aPool(away ? { namespaces: ['team'] } : {})),
    ],
    [
      'because its table is gone',
      'FILE_NOT_FOUND',
      (cluster: SimulatedCluster, away: boolean) =>
        away
          ? cluster.drop('ConfigMap', 'tables', 'guests')
          : cluster.put({ ...tables, metadata: { name: 'tables', namespace: 'guests' } } as ConfigMap),
    ],
  ])('keeps its pods %s, and others are planned around them', async (_why, code, change) => {
    const cluster = await twoTeams();
    const own = () =>
      cluster
        .view()
        .pods.filter(({ metadata }) => metadata.namespace === 'guests')
        .map(({ metadata }) => metadata.name)
        .sort();
    const pods = own();
    expect(pods).not.toEqual([]);
    change(cluster, true);
    const all = { ...floor, 'guests.other.captions': 14 };
    await run(cluster, 3, watchFloor(cluster, { ...all, 'team.media.tags': 600 }));
    cluster.setRates('media', after);
    await run(cluster, 4, watchFloor(cluster, all));
    expect(own()).toEqual(pods);
    expect(conditionOf(cluster, 'other', 'Invalid')).toMatchObject({ status: 'True', reason: code });
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    expect(newest(cluster)?.spec.services.map(({ key }) => key)).toEqual(['team.media.tags', 'team.media.search']);
    expect(readyThroughput(cluster.view()).get('team.media.search')).toBeGreaterThanOrEqual(700);
    expect(cluster.view().pools[0]?.status?.gpusReserved).toBe(1);

    change(cluster, false);
    await run(cluster, 5, watchFloor(cluster, all));
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    expect(newest(cluster)?.spec.services.map(({ key }) => key)).toContain('guests.other.captions');
    expect(conditionOf(cluster, 'other', 'Ready')?.status).toBe('True');
  });

  it('keeps them on nodes without an agent too, which are left alone as a whole', async () => {
    const cluster = new SimulatedCluster({ seed: 1, nodes: 5, gpusPerNode: 1 });
    cluster.put(aPool());
    cluster.put(tables);
    cluster.put({ ...tables, metadata: { name: 'tables', namespace: 'guests' } } as ConfigMap);
    cluster.put(aWorkload('media', before));
    const other = aWorkload('other', { captions: { model: 'whisper-small', rateRps: 14, latencyMs: 1500 } });
    cluster.put({ ...other, metadata: { name: 'other', namespace: 'guests' } });
    await run(cluster, 1, undefined, true);
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    cluster.put(aPool({ namespaces: ['team'] }));
    cluster.setRates('media', after);
    await run(cluster, 2, watchFloor(cluster, { ...floor, 'guests.other.captions': 14 }), true);
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    expect(readyThroughput(cluster.view()).get('team.media.search')).toBeGreaterThanOrEqual(700);
    expect(cluster.disturbed).toBe(false);
  });
});

/** What a model does on both of these products, the second of which has other throughputs. */
const table = ['A100-80GB,1g.10gb,1,1,60', 'A100-80GB,2g.20gb,1,1,130', 'H100-80GB,1g.10gb,1,1,100', 'H100-80GB,2g.20gb,1,1,210']
  .map((row) => `m,${row},10,2\n`)
  .join('');
const twoModels = {
  ...tables,
  data: { 'a100.csv': `model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms,memory_gib\n${table}` },
} as ConfigMap;
const served = (name: string, rateRps: number, pools: readonly string[] = ['a100']) =>
  aWorkload(name, { tags: { model: 'm', rateRps, latencyMs: 100 } }, { pools: [...pools], latency: { factor: 1 } });

describe('a pool whose model is changed', () => {
  it('does without nodes of another model, whose pods stay, until the model is mended', async () => {
    const cluster = new SimulatedCluster({ seed: 1, nodes: 2, gpusPerNode: 1 });
    cluster.put(aPool());
    cluster.put(twoModels);
    cluster.put(served('media', 600));
    await run(cluster, 1);
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    cluster.put(aPool({ gpu: 'H100-80GB' }));
    const watch = watchFloor(cluster, { 'team.media.tags': 600 });
    expect(takesAway(await run(cluster, 2, watch))).toEqual([]);
    expect(conditionOf(cluster, 'media', 'Degraded')?.message).toMatch(/NODE_OF_OTHER_MODEL: Node node-0 has NVIDIA A100-SXM4-80GB/);
    expect(conditionOf(cluster, 'media', 'Infeasible')?.status).toBe('True');
    expect(cluster.view().pools[0]?.status?.gpusReserved).toBe(2);
    cluster.put(aPool());
    await run(cluster, 3, watch);
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    expect(conditionOf(cluster, 'media', 'Ready')?.status).toBe('True');
    expect(conditionOf(cluster, 'media', 'Infeasible')?.status).toBe('False');
  });

  it.each([
    [3, 'stays as it is where there is no room beside it', 'H100-80GB', 'True'],
    [5, 'goes over to pods of the new name where there is room', 'H100-80GB-SXM', 'False'],
  ])('to another name of the same board, on %d nodes, %s', async (nodes, _what, model, infeasible) => {
    const kinds = [{ pool: 'a100', product: 'NVIDIA H100 80GB HBM3' }];
    const cluster = new SimulatedCluster({ seed: 1, nodes, gpusPerNode: 1, kinds });
    cluster.put(aPool({ gpu: 'H100-80GB' }));
    cluster.put(twoModels);
    cluster.put(served('media', 800));
    await run(cluster, 1);
    cluster.put(aPool({ gpu: 'H100-80GB-SXM' }));
    await run(cluster, 2, watchFloor(cluster, { 'team.media.tags': 800 }));
    expect(conditionOf(cluster, 'media', 'Ready')?.status).toBe('True');
    expect(conditionOf(cluster, 'media', 'Infeasible')?.status).toBe(infeasible);
    const running = cluster.view().pods.filter(({ spec }) => spec.nodeName !== undefined);
    expect(new Set(running.map(({ metadata }) => metadata.labels?.['inlay.dev/gpu-model']))).toEqual(new Set([model]));
    expect(cluster.disturbed).toBe(false);
  });
});

describe('workloads whose pools change', () => {
  const kinds = [
    { pool: 'a100', product: 'NVIDIA A100-SXM4-80GB' },
    { pool: 'h100', product: 'NVIDIA H100 80GB HBM3' },
  ];
  async function twoPools(): Promise<SimulatedCluster> {
    const cluster = new SimulatedCluster({ seed: 1, nodes: 6, gpusPerNode: 1, kinds });
    cluster.put(aPool());
    cluster.put({ ...aPool({ gpu: 'H100-80GB', nodeSelector: { pool: 'h100' } }), metadata: { name: 'h100' } });
    cluster.put(twoModels);
    cluster.put(served('media', 600));
    cluster.put(served('other', 500));
    cluster.put(served('third', 800, ['h100']));
    await run(cluster, 1);
    return cluster;
  }
  const all = { 'team.media.tags': 600, 'team.other.tags': 500, 'team.third.tags': 800 };
  const nodesOf = (cluster: SimulatedCluster, workload: string) => {
    const { pods, nodes } = cluster.view();
    const own = pods.filter(({ metadata }) => metadata.labels?.['inlay.dev/workload'] === workload);
    return new Set(own.map(({ spec }) => nodes.find(({ metadata }) => metadata.name === spec.nodeName)?.metadata.labels?.['pool']));
  };

  it.each([['with others on the pool that it leaves'], ['as the only one there']])(
    'go over to another pool, %s, and no service falls below its demand',
    async (alone) => {
      const cluster = await twoPools();
      if (alone.startsWith('as')) cluster.deleteWithDependents('InferenceWorkload', 'other', 'team');
      const { 'team.other.tags': _other, ...rest } = all;
      cluster.put(served('media', 600, ['h100']));
      await run(cluster, 2, watchFloor(cluster, alone.startsWith('as') ? rest : all));
      expect(nodesOf(cluster, 'media')).toEqual(new Set(['h100']));
      for (const name of ['media', 'third']) expect(conditionOf(cluster, name, 'Ready')?.status).toBe('True');
    },
  );

  it('become one group by a workload that names both pools, and two again, and no service falls below its demand', async () => {
    const cluster = await twoPools();
    cluster.put(served('fourth', 300, ['a100', 'h100']));
    await run(cluster, 2, watchFloor(cluster, all));
    for (const name of ['media', 'other', 'third', 'fourth']) expect(conditionOf(cluster, name, 'Ready')?.status, name).toBe('True');
    cluster.deleteWithDependents('InferenceWorkload', 'fourth', 'team');
    cluster.setRates('third', { tags: 700 });
    await run(cluster, 3, watchFloor(cluster, { ...all, 'team.third.tags': 700 }));
    for (const name of ['media', 'other', 'third']) expect(conditionOf(cluster, name, 'Ready')?.status, name).toBe('True');
    expect(nodesOf(cluster, 'third')).toEqual(new Set(['h100']));
    expect(cluster.view().pods.filter(({ spec }) => spec.nodeName === undefined)).toEqual([]);
  });
});
