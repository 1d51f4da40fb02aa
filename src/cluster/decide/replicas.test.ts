import { describe, expect, it } from 'vitest';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import { runOperator, watchFloor } from './run-operator.fixture.js';
import { SimulatedCluster } from './simulated-cluster.fixture.js';
import { readyThroughput } from './simulated-objects.fixture.js';

const tags = { model: 'resnet50', rateRps: 120, latencyMs: 200, minReplicas: 2 };
const search = { model: 'bert-base', rateRps: 60, latencyMs: 100, minReplicas: 2 };

describe('replicas on different GPUs', () => {
  // Which of a node's equal slices a pod gets is chance: replicas meet on one GPU for some of the seeds.
  it.each([1, 2, 3, 4, 5, 6])('are rolled out and follow every change of demand, wherever pods come to sit (seed %i)', async (seed) => {
    const cluster = new SimulatedCluster({ seed, nodes: 2, gpusPerNode: 2 });
    cluster.put(aPool());
    cluster.put(tables);
    cluster.put(aWorkload('media', { tags, search }));
    expect((await runOperator(cluster, { seed })).settled).toBe(true);
    let now = { tags: tags.rateRps, search: search.rateRps };
    for (const next of [
      { tags: 500, search: 60 },
      { tags: 100, search: 250 },
      { tags: 120, search: 60 },
    ]) {
      cluster.setRates('media', next);
      const onChange = watchFloor(cluster, {
        'team.media.tags': Math.min(now.tags, next.tags),
        'team.media.search': Math.min(now.search, next.search),
      });
      expect((await runOperator(cluster, { seed: seed + 10, onChange })).settled).toBe(true);
      const ready = readyThroughput(cluster.view());
      for (const [name, rps] of Object.entries(next)) expect(ready.get(`team.media.${name}`)).toBeGreaterThanOrEqual(rps);
      now = next;
    }
    const conditions = cluster.view().workloads.flatMap(({ status }) => status?.conditions ?? []);
    expect(conditions.find(({ type }) => type === 'Infeasible')).toMatchObject({ status: 'False' });
  });
});
