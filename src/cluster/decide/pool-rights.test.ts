import { expect, it } from 'vitest';
import type { ConfigMap, Node } from '../client/object-types.js';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import { runOperator } from './run-operator.fixture.js';
import { SimulatedCluster } from './simulated-cluster.fixture.js';

it('a workload gets no pods on a pool that it does not name, however its pools are shared with others', async () => {
  const kinds = [
    { pool: 'a100', product: 'NVIDIA A100-SXM4-80GB' },
    { pool: 'h100', product: 'NVIDIA H100 80GB HBM3' },
  ];
  const cluster = new SimulatedCluster({ seed: 1, nodes: 4, gpusPerNode: 1, kinds });
  cluster.put(aPool());
  cluster.put({ ...aPool({ gpu: 'H100-80GB', nodeSelector: { pool: 'h100' }, namespaces: ['rich'] }), metadata: { name: 'h100' } });
  const rows = ['A100-80GB,1g.10gb,1,1,60', 'A100-80GB,2g.20gb,1,1,130', 'H100-80GB,1g.10gb,1,1,100', 'H100-80GB,2g.20gb,1,1,210'];
  const csv = `model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms,memory_gib\n${rows.map((row) => `m,${row},10,2\n`).join('')}`;
  for (const namespace of ['team', 'rich'])
    cluster.put({ ...tables, metadata: { name: 'tables', namespace }, data: { 'a100.csv': csv } } as ConfigMap);
  const demand = { tags: { model: 'm', rateRps: 400, latencyMs: 100 } };
  cluster.put(aWorkload('poor', demand, { latency: { factor: 1 } }));
  const rich = aWorkload('rich', { tags: { ...demand.tags, rateRps: 300 } }, { latency: { factor: 1 }, pools: ['a100', 'h100'] });
  cluster.put({ ...rich, metadata: { name: 'rich', namespace: 'rich' } });
  expect((await runOperator(cluster, { seed: 1 })).settled).toBe(true);
  const { nodes, pods, plans } = cluster.view();
  expect(plans.map(({ status }) => status?.phase)).toEqual(['Ready']);
  const poolOf = (name: string | undefined) => nodes.find(({ metadata }: Node) => metadata.name === name)?.metadata.labels?.['pool'];
  const poor = pods.filter(({ metadata }) => metadata.namespace === 'team');
  expect(new Set(poor.map(({ spec }) => poolOf(spec.nodeName)))).toEqual(new Set(['a100']));
});
