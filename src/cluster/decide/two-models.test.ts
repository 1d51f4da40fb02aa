import { describe, expect, it } from 'vitest';
import type { ConfigMap, Pod } from '../client/object-types.js';
import { labels } from '../objects/names.js';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import { runOperator } from './run-operator.fixture.js';
import { SimulatedCluster } from './simulated-cluster.fixture.js';
import { isReady } from './simulated-store.fixture.js';

/** Both models have a 1g.10gb, and it does not do the same on them. */
const rpsOf: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'A100-80GB': { '1g.10gb': 60, '2g.20gb': 130 },
  'H100-80GB': { '1g.10gb': 100, '2g.20gb': 210 },
};
const rows = Object.entries(rpsOf).flatMap(([gpu, profiles]) =>
  Object.entries(profiles).map(([profile, rps]) => `m,${gpu},${profile},1,1,${rps},10,2`),
);
const table = `model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms,memory_gib\n${rows.join('\n')}\n`;

const kinds = [
  { pool: 'a100', product: 'NVIDIA A100-SXM4-80GB' },
  { pool: 'h100', product: 'NVIDIA H100 80GB HBM3' },
];

function aCluster(rateRps: number): SimulatedCluster {
  const cluster = new SimulatedCluster({ seed: 1, nodes: 4, gpusPerNode: 1, kinds });
  cluster.put(aPool());
  cluster.put({ ...aPool({ gpu: 'H100-80GB', nodeSelector: { pool: 'h100' } }), metadata: { name: 'h100' } });
  cluster.put({ ...tables, data: { 'a100.csv': table } } as ConfigMap);
  cluster.put(aWorkload('media', { tags: { model: 'm', rateRps, latencyMs: 100 } }, { pools: ['a100', 'h100'], latency: { factor: 1 } }));
  return cluster;
}

const modelOf = (cluster: SimulatedCluster, pod: Pod): string => {
  const node = cluster.view().nodes.find(({ metadata }) => metadata.name === pod.spec.nodeName);
  return node?.metadata.labels?.['pool'] === 'h100' ? 'H100-80GB' : 'A100-80GB';
};

/** Throughput by the hardware that a pod really sits on, whatever the operator believes. */
const trueRps = (cluster: SimulatedCluster, pod: Pod): number =>
  rpsOf[modelOf(cluster, pod)]?.[pod.metadata.labels?.[labels.profile] ?? ''] ?? 0;

const deliveredRps = (cluster: SimulatedCluster): number =>
  cluster
    .view()
    .pods.filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined)
    .reduce((sum, pod) => sum + trueRps(cluster, pod), 0);

const newest = (cluster: SimulatedCluster) => cluster.view().plans.toSorted((a, b) => b.spec.sequence - a.spec.sequence)[0];

/** Deployments with the true throughputs of their pods. */
function pledges(
  cluster: SimulatedCluster,
): readonly { readonly name: string; readonly rps: number; readonly truths: ReadonlySet<number> }[] {
  const { deployments, pods } = cluster.view();
  return deployments.map(({ metadata: { name, annotations = {} }, spec }) => {
    const wanted = Object.entries(spec.selector.matchLabels ?? {});
    const placed = pods.filter((pod) => pod.spec.nodeName !== undefined);
    const own = placed.filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value));
    return { name, rps: Number(annotations['inlay.dev/capacity-rps']), truths: new Set(own.map((pod) => trueRps(cluster, pod))) };
  });
}

describe('pools of two GPU models that have a profile of one name', () => {
  it('get Deployments of their own, each with what its pods really do', async () => {
    const cluster = aCluster(1500);
    expect((await runOperator(cluster, { seed: 1 })).settled).toBe(true);
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    expect(new Set(cluster.view().pods.map((pod) => modelOf(cluster, pod)))).toEqual(new Set(Object.keys(rpsOf)));
    for (const { name, rps, truths } of pledges(cluster)) expect(truths, name).toEqual(new Set([rps]));
    expect(deliveredRps(cluster)).toBeGreaterThanOrEqual(1500);
    expect(cluster.view().workloads[0]?.status?.services?.[0]?.readyRps).toBeCloseTo(deliveredRps(cluster), 6);
  });

  it.each([
    [1500, 700],
    [500, 1700],
    [1500, 2000],
  ])('keep the floor from %d to %d rps, counted by the hardware', async (before, after) => {
    for (let seed = 1; seed <= 5; seed++) {
      const cluster = aCluster(before);
      await runOperator(cluster, { seed });
      cluster.setRates('media', { tags: after });
      const floor = Math.min(before, after);
      const onChange = (what: string) => {
        if (deliveredRps(cluster) < floor) throw new Error(`${deliveredRps(cluster)} of ${floor} rps after ${what}`);
      };
      expect((await runOperator(cluster, { seed, onChange })).settled).toBe(true);
      expect(newest(cluster)?.status?.phase).toBe('Ready');
      expect(deliveredRps(cluster)).toBeGreaterThanOrEqual(after);
      for (const { name, rps, truths } of pledges(cluster)) expect(truths, name).toEqual(new Set([rps]));
      expect(cluster.disturbed).toBe(false);
    }
  });

  it('never give a spare slice of the other model to a pod of a new template', async () => {
    const cluster = aCluster(1500);
    await runOperator(cluster, { seed: 1 });
    const [workload] = cluster.view().workloads;
    const template = { spec: { containers: [{ name: 'server', image: 'server:2' }] } };
    const services = workload?.spec.services.map((service) => ({ ...service, template })) ?? [];
    cluster.put({ ...workload, spec: { ...workload?.spec, services } } as typeof workload & object);
    const wrong: string[] = [];
    const onChange = () => {
      for (const { name, rps, truths } of pledges(cluster)) if ([...truths].some((truth) => truth !== rps)) wrong.push(name);
    };
    await runOperator(cluster, { seed: 2, onChange, mostRounds: 400 });
    expect(wrong).toEqual([]);
  });
});
