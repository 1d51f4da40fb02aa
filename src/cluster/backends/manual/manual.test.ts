import { describe, expect, it } from 'vitest';
import type { Pod } from '../../client/object-types.js';
import { aPool, aWorkload, tables } from '../../decide/demand.fixture.js';
import { runOperator } from '../../decide/run-operator.fixture.js';
import { SimulatedCluster } from '../../decide/simulated-cluster.fixture.js';
import { readyThroughput } from '../../decide/simulated-objects.fixture.js';
import type { Write } from '../../decide/write.js';
import { applyManifests, close, doStep, filesOf, readSteps } from './person.fixture.js';

const media = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
  captions: { model: 'whisper-small', rateRps: 14, latencyMs: 1500 },
};

function aCluster(): SimulatedCluster {
  const cluster = new SimulatedCluster({ seed: 1, nodes: 3, gpusPerNode: 2 });
  cluster.put(aPool({ backend: 'manual' }));
  cluster.put(tables);
  cluster.put(aWorkload('media', media));
  return cluster;
}

const newest = (cluster: SimulatedCluster) => cluster.view().plans.toSorted((a, b) => b.spec.sequence - a.spec.sequence)[0];
const condition = (cluster: SimulatedCluster, type: string) =>
  cluster.view().workloads[0]?.status?.conditions?.find((one) => one.type === type);

/** Kinds of objects that were written, statuses apart. */
async function look(cluster: SimulatedCluster, seed = 1): Promise<ReadonlySet<string>> {
  const writes: Write[] = [];
  const life = await runOperator(cluster, { seed, onWrite: (write) => void writes.push(write) });
  expect(life.settled).toBe(true);
  return new Set(writes.flatMap((write) => (write.kind === 'patch' && write.subresource === 'status' ? [] : [write.resource.kind])));
}

const allowed = (kinds: ReadonlySet<string>) => [...kinds].filter((kind) => kind !== 'SharingPlan' && kind !== 'ConfigMap');

describe('a pool that a person cuts', () => {
  it('gets a plan and files, which are enough to carry it out, and nothing else is written', async () => {
    const cluster = aCluster();
    expect(await look(cluster)).toEqual(new Set(['SharingPlan', 'ConfigMap']));
    const plan = newest(cluster);
    expect(plan?.status?.phase).toBe('Applying');
    expect(plan?.status?.steps?.running.join()).toMatch(/s\d+: GPU node-\d\/\d to be cut by hand/);
    expect(condition(cluster, 'Progressing')).toMatchObject({ reason: 'WaitsForPerson', message: expect.stringContaining('a100-1-files') });
    const map = cluster.view().configMaps.find(({ metadata }) => metadata.name === 'a100-1-files');
    expect(map?.metadata).toMatchObject({
      namespace: 'inlay-system',
      ownerReferences: [{ kind: 'SharingPlan', name: 'a100-1', uid: plan?.metadata.uid }],
    });

    const files = filesOf(cluster, 'a100-1');
    expect(Object.keys(files).sort()).toEqual(['manifests.yaml', 'mig-parted.yaml', 'steps.txt']);
    applyManifests(cluster, files);
    expect(cluster.view().deployments.every(({ spec }) => spec.replicas === 0)).toBe(true);
    let done = 0;
    for (const step of readSteps(files)) {
      doStep(cluster, step, files);
      expect(allowed(await look(cluster))).toEqual([]);
      const now = newest(cluster)?.status?.steps?.done ?? 0;
      expect(newest(cluster)?.metadata.name, step.title).toBe('a100-1');
      expect(now, step.title).toBeGreaterThanOrEqual(done);
      done = now;
    }
    expect(newest(cluster)).toMatchObject({ metadata: { name: 'a100-1' }, status: { phase: 'Ready' } });
    expect(condition(cluster, 'Ready')?.status).toBe('True');
    const ready = readyThroughput(cluster.view());
    for (const [name, { rateRps }] of Object.entries(media)) expect(ready.get(`team.media.${name}`)).toBeGreaterThanOrEqual(rateRps);
  });

  it('follows a person from plan to plan, whose cordons count as work and not as a loss', async () => {
    const cluster = aCluster();
    const carryOut = async () => {
      const name = newest(cluster)?.metadata.name ?? '';
      const files = filesOf(cluster, name);
      applyManifests(cluster, files);
      for (const step of readSteps(files)) {
        const wiped = / GPU (\S+)\/\d+ into/.exec(step.title)?.[1];
        try {
          doStep(cluster, step, files);
        } catch (error) {
          // A pod came to the GPU: the person closes the node, and the plan is made anew from there.
          if (!String(error).includes('is in use') || wiped === undefined) throw error;
          close(cluster, new Set([wiped]));
        }
        expect(allowed(await look(cluster))).toEqual([]);
        if (newest(cluster)?.metadata.name !== name) return;
      }
      close(cluster, new Set());
    };
    await look(cluster);
    await carryOut();
    cluster.setRates('media', { tags: 200, search: 700, captions: 20 });
    await look(cluster);
    for (let plans = 0; plans < 8 && newest(cluster)?.status?.phase !== 'Ready'; plans++) await carryOut();
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    expect(newest(cluster)?.spec.sequence).toBeGreaterThan(1);
    expect(readyThroughput(cluster.view()).get('team.media.search')).toBeGreaterThanOrEqual(700);
  });

  it('keeps its files as they are, and leaves pods alone that have ended', async () => {
    const cluster = aCluster();
    await look(cluster);
    const before = filesOf(cluster, 'a100-1');
    const map = cluster.view().configMaps.find(({ metadata }) => metadata.name === 'a100-1-files');
    cluster.put({ ...map, data: { ...map?.data, 'steps.txt': 'nothing to do' } } as typeof map & object);
    applyManifests(cluster, before);
    const [deployment] = cluster.view().deployments;
    const template = deployment?.spec.template;
    cluster.put({
      ...template,
      kind: 'Pod',
      metadata: { ...template?.metadata, name: 'over', namespace: 'team' },
      status: { phase: 'Failed' },
    } as Pod);
    expect(await look(cluster)).toEqual(new Set(['ConfigMap']));
    expect(filesOf(cluster, 'a100-1')).toEqual(before);
    expect(cluster.view().pods.map(({ metadata }) => metadata.name)).toEqual(['over']);
  });

  it('cannot be named with one that the operator cuts', async () => {
    const cluster = aCluster();
    cluster.put({ ...aPool({ nodeSelector: { pool: 'none' } }), metadata: { name: 'other' } });
    cluster.put(aWorkload('media', media, { pools: ['a100', 'other'] }));
    expect(await look(cluster)).toEqual(new Set());
    expect(condition(cluster, 'Invalid')).toMatchObject({ reason: 'BACKENDS_DIFFER', message: expect.stringContaining('by a person') });
  });
});
