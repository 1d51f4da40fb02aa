import { describe, expect, it } from 'vitest';
import type { ConfigMap } from '../client/object-types.js';
import { createMetrics } from '../operator/metrics.js';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import { runOperator } from './run-operator.fixture.js';
import { SimulatedCluster } from './simulated-cluster.fixture.js';
import { readyThroughput } from './simulated-objects.fixture.js';

/** One GPU for 450 rps at most, the other for 730: 1300 rps need two of the other or three of the one. */
const rows = [
  'm,A100-80GB,1g.10gb,1,1,60,10,2',
  'm,A100-80GB,2g.20gb,1,1,130,10,2',
  'm,H100-80GB,1g.10gb,1,1,100,10,2',
  'm,H100-80GB,2g.20gb,1,1,210,10,2',
];
const table = `model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms,memory_gib\n${rows.join('\n')}\n`;

const kinds = [
  { pool: 'a100', product: 'NVIDIA A100-SXM4-80GB' },
  { pool: 'h100', product: 'NVIDIA H100 80GB HBM3' },
];

function setPrices(cluster: SimulatedCluster, { a100, h100 }: { readonly a100?: number; readonly h100?: number }): void {
  cluster.put(aPool(a100 === undefined ? {} : { price: a100 }));
  const own = { gpu: 'H100-80GB', nodeSelector: { pool: 'h100' }, ...(h100 !== undefined && { price: h100 }) };
  cluster.put({ ...aPool(own), metadata: { name: 'h100' } });
}

function aCluster(rateRps: number, prices: Parameters<typeof setPrices>[1], minSavedGpus?: number): SimulatedCluster {
  const cluster = new SimulatedCluster({ seed: 1, nodes: 6, gpusPerNode: 1, kinds });
  setPrices(cluster, prices);
  cluster.put({ ...tables, data: { 'a100.csv': table } } as ConfigMap);
  const hysteresis = minSavedGpus === undefined ? {} : { hysteresis: { minSavedGpus } };
  const spec = { pools: ['a100', 'h100'], latency: { factor: 1 }, ...hysteresis };
  cluster.put(aWorkload('media', { tags: { model: 'm', rateRps, latencyMs: 100 } }, spec));
  return cluster;
}

const newest = (cluster: SimulatedCluster) => cluster.view().plans.toSorted((a, b) => b.spec.sequence - a.spec.sequence)[0];

const planned = (cluster: SimulatedCluster) => cluster.view().workloads[0]?.status?.conditions?.find(({ type }) => type === 'Planned');

/** Number of GPUs with pods, by model. */
function usedByModel(cluster: SimulatedCluster): Record<string, number> {
  const { pods, nodes } = cluster.view();
  const used = new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []));
  const counts: Record<string, number> = {};
  for (const { metadata } of nodes) {
    const pool = metadata.labels?.['pool'] ?? '';
    if (used.has(metadata.name)) counts[pool] = (counts[pool] ?? 0) + 1;
  }
  return counts;
}

describe('pools with prices', () => {
  it('get as few GPUs as possible while their prices are equal, and nothing is said of cost', async () => {
    for (const prices of [{}, { a100: 3, h100: 3 }, { h100: 1 }]) {
      const cluster = aCluster(1300, prices);
      await runOperator(cluster, { seed: 1 });
      expect(usedByModel(cluster)).toEqual({ h100: 2 });
      expect(newest(cluster)?.spec).toMatchObject({ gpus: 2, bound: 2 });
      expect(newest(cluster)?.spec.cost).toBeUndefined();
      expect(planned(cluster)?.message).toBe('2 GPUs, proven bound 2.');
    }
  });

  it('get the cheapest GPUs, though these are more, and the plan says the cost and its bound', async () => {
    const cluster = aCluster(1300, { h100: 2 });
    const { last } = await runOperator(cluster, { seed: 1 });
    expect(usedByModel(cluster)).toEqual({ a100: 3 });
    expect(newest(cluster)?.spec).toMatchObject({ gpus: 3, bound: 2, cost: 3, costBound: 3 });
    expect(planned(cluster)?.message).toBe('3 GPUs at a cost of 3, proven bound 3.');
    expect(cluster.view().workloads[0]?.status).toMatchObject({ gpus: 3, bound: 2 });
    const metrics = createMetrics();
    metrics.show(last, cluster.nowMs);
    const text = await metrics.render();
    for (const line of ['plan_gpus{group="a100"} 3', 'plan_bound_gpus{group="a100"} 2', 'plan_cost{group="a100"} 3'])
      expect(text).toContain(`inlay_${line}\n`);
    for (const line of ['plan_bound_cost{group="a100"} 3', 'plan_gap_ratio{group="a100"} 0']) expect(text).toContain(`inlay_${line}\n`);
  });

  it.each([
    // Two of the dear ones cost 4, three of the cheap ones 3: as much as one cheap GPU is saved.
    [{ h100: 2 }, 1, { a100: 3 }],
    [{ h100: 2 }, 2, { h100: 2 }],
    // In other units the same.
    [{ a100: 0.1, h100: 0.2 }, 1, { a100: 3 }],
    [{ a100: 10, h100: 20 }, 2, { h100: 2 }],
    // 5 against 3.
    [{ h100: 2.5 }, 2, { a100: 3 }],
    [{ h100: 2.4 }, 2, { h100: 2 }],
  ])('are changed for new prices %o only where %d times the lowest price is saved, with the floor kept', async (prices, least, used) => {
    const cluster = aCluster(1300, {}, least);
    await runOperator(cluster, { seed: 1 });
    expect(usedByModel(cluster)).toEqual({ h100: 2 });
    setPrices(cluster, prices);
    const onChange = (what: string) => {
      const ready = readyThroughput(cluster.view()).get('team.media.tags') ?? 0;
      if (ready < 1300) throw new Error(`${ready} of 1300 rps after ${what}`);
    };
    expect((await runOperator(cluster, { seed: 2, onChange })).settled).toBe(true);
    expect(usedByModel(cluster)).toEqual(used);
    const isKept = 'h100' in used;
    expect(newest(cluster)?.spec.sequence).toBe(isKept ? 1 : 2);
    expect(planned(cluster)?.reason).toBe(isKept ? 'KeptByHysteresis' : 'PlanFound');
    if (isKept) expect(planned(cluster)?.message).toMatch(/a new one would save less than a cost of (2|20)\.$/);
  });
});
