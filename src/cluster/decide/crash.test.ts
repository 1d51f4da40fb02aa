import { describe, expect, it } from 'vitest';
import type { TransitionDocument } from '../../demand/documents/transition.js';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import { contentOf, runOperator, watchFloor } from './run-operator.fixture.js';
import { type LayoutFault, SimulatedCluster, type SimulationOptions } from './simulated-cluster.fixture.js';

const before = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
  captions: { model: 'whisper-small', rateRps: 14, latencyMs: 1500 },
};
const after = { tags: 200, search: 700, captions: 20 };
const floor = { 'team.media.tags': 200, 'team.media.search': 300, 'team.media.captions': 14 };

async function rolledOut(options: Partial<SimulationOptions> = {}): Promise<SimulatedCluster> {
  const cluster = new SimulatedCluster({ seed: 1, nodes: 2, gpusPerNode: 2, ...options });
  cluster.put(aPool());
  cluster.put(tables);
  cluster.put(aWorkload('media', before));
  const life = await runOperator(cluster, { seed: 1 });
  expect(life.settled).toBe(true);
  return cluster;
}

function newest(cluster: SimulatedCluster) {
  return cluster.view().plans.toSorted((a, b) => b.spec.sequence - a.spec.sequence)[0];
}

describe('a process that dies', () => {
  it('after any single write of a transition is carried on to the same end, with every floor kept', async () => {
    const start = await rolledOut();
    const undisturbed = start.fork(5);
    undisturbed.setRates('media', after);
    const { writes, settled } = await runOperator(undisturbed, { seed: 5, onChange: watchFloor(undisturbed, floor) });
    expect(settled).toBe(true);
    const end = newest(undisturbed);
    for (let dieAfter = 1; dieAfter <= writes; dieAfter++) {
      const cluster = start.fork(5);
      cluster.setRates('media', after);
      const life = await runOperator(cluster, { seed: 5, dieAfter, onChange: watchFloor(cluster, floor) });
      expect(life.settled, `killed after write ${dieAfter}`).toBe(true);
      expect(newest(cluster)?.status?.phase, `killed after write ${dieAfter}`).toBe('Ready');
      expect(newest(cluster)?.spec.gpus).toBe(end?.spec.gpus);
      expect(contentOf(cluster), `killed after write ${dieAfter}`).toEqual(contentOf(undisturbed));
      expect(cluster.disturbed).toBe(false);
    }
  });

  it('again and again, whatever the order in which the cluster moves', async () => {
    const start = await rolledOut({ nodes: 3 });
    for (let seed = 1; seed <= 15; seed++) {
      const cluster = start.fork(seed);
      cluster.setRates('media', after);
      const life = await runOperator(cluster, { seed, deathRate: 0.5, forgets: seed <= 3, onChange: watchFloor(cluster, floor) });
      expect(life.settled, `seed ${seed}`).toBe(true);
      expect(newest(cluster)?.status?.phase, `seed ${seed}`).toBe('Ready');
      expect(cluster.disturbed).toBe(false);
    }
  });

  it('after it called a plan ready leaves every Deployment as the plan has it', async () => {
    const start = await rolledOut();
    for (let seed = 1; seed <= 5; seed++) {
      const cluster = start.fork(seed);
      cluster.setRates('media', after);
      const surplus: string[] = [];
      await runOperator(cluster, {
        seed,
        deathRate: 0.5,
        onWrite({ resource, ...write }) {
          const said = 'body' in write ? (write.body as { readonly status?: { readonly phase?: string } }).status?.phase : undefined;
          if (resource.kind !== 'SharingPlan' || said !== 'Ready') return;
          const { gpus = [] } = (newest(cluster)?.spec.transition as TransitionDocument | undefined)?.target ?? {};
          const wanted = gpus.flatMap(({ instances }) => instances).filter(({ service }) => service !== null).length;
          const asked = cluster.view().deployments.reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0);
          if (asked !== wanted) surplus.push(`${asked} pods for ${wanted}`);
        },
      });
      expect(surplus, `seed ${seed}`).toEqual([]);
    }
  });

  it('during the first rollout leaves nothing behind', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const cluster = new SimulatedCluster({ seed, nodes: 2, gpusPerNode: 2 });
      cluster.put(aPool());
      cluster.put(tables);
      cluster.put(aWorkload('media', before));
      const life = await runOperator(cluster, { seed, deathRate: 0.5 });
      expect(life.settled, `seed ${seed}`).toBe(true);
      expect(newest(cluster)?.status?.phase).toBe('Ready');
      expect(cluster.view().pods.filter((pod) => pod.spec.nodeName === undefined)).toEqual([]);
      expect(cluster.view().nodes.filter(({ spec }) => spec?.unschedulable === true)).toEqual([]);
    }
  });
});

describe('mig-manager', () => {
  const failing = (faults: readonly LayoutFault[]) => (_node: string, change: number) => faults[change] ?? 'works';

  it.each([['fails'], ['hangs'], ['no-instances']] as const)('that once %s is asked again under another name', async (fault) => {
    const cluster = await rolledOut({ faultOf: failing([fault]) });
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    expect(
      cluster
        .view()
        .nodes.flatMap(({ metadata }) => metadata.labels?.['nvidia.com/mig.config'] ?? [])
        .join(),
    ).toMatch(/-r1/);
  });

  it('that keeps failing gets the former layout back, the plan is stuck and says what to do, and every floor is kept', async () => {
    let broken = false;
    const start = await rolledOut({ faultOf: () => (broken ? 'fails' : 'works') });
    const cluster = start.fork(3);
    cluster.setRates('media', after);
    broken = true;
    const life = await runOperator(cluster, { seed: 3, onChange: watchFloor(cluster, floor) });
    expect(life.settled).toBe(true);
    const stuck = newest(cluster)?.status?.conditions?.find(({ type }) => type === 'Stuck');
    expect(stuck?.status).toBe('True');
    expect(stuck?.message).toMatch(/kubectl annotate node node-\d inlay\.dev\/failed-config-/);
    expect(cluster.view().nodes.filter(({ spec }) => spec?.unschedulable === true)).toEqual([]);

    broken = false;
    for (const node of cluster.view().nodes) {
      const { 'inlay.dev/failed-config': _failed, ...annotations } = node.metadata.annotations ?? {};
      cluster.put({ ...node, metadata: { ...node.metadata, annotations } });
    }
    const again = await runOperator(cluster, { seed: 4, onChange: watchFloor(cluster, floor) });
    expect(again.settled).toBe(true);
    expect(newest(cluster)?.status?.phase).toBe('Ready');
  });
});
