import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configMaps, deployments, nodes, podDisruptionBudgets, pods } from '../../src/cluster/client/resources.js';
import { faultAnnotation } from '../../src/cluster/emulate/faults.js';
import { inferenceWorkloads, sharingPlans } from '../../src/cluster/objects/kinds.js';
import { annotations, managedBy } from '../../src/cluster/objects/names.js';
import { createSeededRandom } from '../../src/demand/seeded-random.js';
import { eventually, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import {
  anInferenceWorkload,
  type FloorWatcher,
  type OperatorCluster,
  planOfPhase,
  setRates,
  startOperatorCluster,
  watchFloors,
} from './operator.fixture.js';

const floors = { tags: 300, search: 300, captions: 14 };
const first = { tags: 600, search: 300, captions: 14 };
/** Demands without end, none below the floors: sooner or later GPUs have to be cut anew for them. */
const random = createSeededRandom(11);
const between = (least: number, most: number) => Math.round(least + random.uniform() * (most - least));
const nextRates = () => ({ tags: between(300, 1500), search: between(300, 1200), captions: between(14, 90) });

const demands = {
  tags: { model: 'resnet50', rateRps: first.tags, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: first.search, latencyMs: 100 },
  captions: { model: 'whisper-small', rateRps: first.captions, latencyMs: 1500 },
};

describe.skipIf(whyNoCluster)(`the operator when things go wrong${skippedBecause}`, () => {
  let lab: OperatorCluster;
  let watcher: FloorWatcher;

  beforeAll(async () => {
    lab = await startOperatorCluster({
      nodes: 4,
      gpus: 2,
      pool: {
        migManager: {
          namespace: 'gpu-operator',
          configMap: 'inlay-mig-config',
          settleSeconds: 0,
          timeoutSeconds: 8,
          retries: 2,
          backoffSeconds: 0,
        },
      },
    });
    lab.start();
    await lab.api.create(inferenceWorkloads, anInferenceWorkload(lab.namespace, demands));
    await ready();
    watcher = await watchFloors(await lab.cluster.api(), lab.namespace);
    watcher.guard(floors);
  }, 120_000);
  afterAll(() => {
    watcher?.stop();
    return lab?.stop();
  });

  const ready = (withinMs = 60_000) =>
    planOfPhase(lab.api, lab.namespace, 'Ready', withinMs).catch((error) => {
      throw new Error(`${error}\n${lab.log.slice(-30).join('\n')}`);
    });

  const demandNext = () => setRates(lab.api, lab.namespace, nextRates());

  /** Changes the demand and waits for the plan to be carried out. */
  async function change(withinMs?: number): Promise<void> {
    await demandNext();
    await ready(withinMs);
    expect(watcher.breaches).toEqual([]);
  }

  const setFault = async (fault: string | null) => {
    for (const { metadata } of (await lab.api.list(nodes)).items)
      await lab.api.patch(nodes, metadata, { metadata: { annotations: { [faultAnnotation]: fault } } });
  };

  const faultsLeft = async () =>
    (await lab.api.list(nodes)).items.filter(({ metadata }) => metadata.annotations?.[faultAnnotation] !== undefined).length;

  it.each(['mig-fail:1', 'mig-fail-midway:1', 'mig-empty:1', 'mig-stuck:1', 'mig-reboot:1'])(
    'gets through %s',
    async (fault) => {
      await setFault(fault);
      const set = await faultsLeft();
      for (let n = 0; n < 12 && (await faultsLeft()) === set; n++) await change(90_000);
      expect(await faultsLeft()).toBeLessThan(set);
      await setFault(null);
      expect((await lab.api.list(nodes)).items.filter(({ spec }) => spec?.unschedulable === true)).toEqual([]);
    },
    200_000,
  );

  it.each(['plugin-slow', 'mig-slow'])(
    'gets through %s',
    async (fault) => {
      await setFault(fault);
      await change(90_000);
      await setFault(null);
    },
    200_000,
  );

  it('waits for an agent that reports nothing new, and cuts nothing that may be in use', async () => {
    await setFault('agent-stale');
    await demandNext();
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await setFault(null);
    await ready(90_000);
    expect(watcher.breaches).toEqual([]);
  }, 200_000);

  it('says that it is stuck when mig-manager keeps failing, rolls back, and goes on once a person allows it', async () => {
    await setFault('mig-fail');
    const findStuck = async () => {
      const { status } = await lab.api.get(inferenceWorkloads, { namespace: lab.namespace, name: 'media' });
      return status?.conditions?.find(({ type, status: value }) => type === 'Stuck' && value === 'True');
    };
    let stuck: Awaited<ReturnType<typeof findStuck>>;
    for (let n = 0; n < 12 && stuck === undefined; n++) {
      await demandNext();
      await Promise.race([ready(), eventually('it is stuck', findStuck)]).catch(() => {});
      stuck = await findStuck();
    }
    expect(stuck?.message).toMatch(/kubectl annotate node gpu-\d inlay.dev\/failed-config-/);
    expect(watcher.breaches).toEqual([]);
    await setFault(null);
    await eventually('no node is cordoned', async () =>
      (await lab.api.list(nodes)).items.every(({ spec }) => spec?.unschedulable !== true),
    );
    for (const { metadata } of (await lab.api.list(nodes)).items) {
      await lab.api.patch(nodes, metadata, { metadata: { annotations: { [annotations.failedConfig]: null } } });
    }
    await ready();
    expect(watcher.breaches).toEqual([]);
  }, 200_000);

  it('goes on after the API server was away', async () => {
    const { controlPlane } = lab.cluster;
    if (controlPlane === undefined) return;
    await demandNext();
    await eventually('a step is under way', async () =>
      (await lab.api.list(sharingPlans)).items.some(({ status }) => status?.phase === 'Applying'),
    );
    await controlPlane.killApiServer();
    await controlPlane.startApiServer();
    await ready(90_000);
    expect(watcher.breaches).toEqual([]);
  }, 150_000);

  it('undoes what a person did to its ConfigMap, and makes a deleted Deployment again', async () => {
    const [deployment] = (
      await lab.api.list(deployments, { namespace: lab.namespace, labelSelector: 'app.kubernetes.io/managed-by=inlay' })
    ).items;
    const mig = { namespace: 'gpu-operator', name: 'inlay-mig-config' };
    await lab.api.patch(configMaps, mig, { data: { 'config.yaml': 'version: v1\nmig-configs: {}\n' } });
    watcher.guard({});
    await lab.api.remove(deployments, deployment?.metadata ?? { name: '' });
    await eventually('the Deployment is back with all its pods ready', async () => {
      const { items } = await lab.api.list(deployments, { namespace: lab.namespace });
      const again = items.find(({ metadata }) => metadata.name === deployment?.metadata.name);
      return again?.metadata.uid !== deployment?.metadata.uid && again?.status?.readyReplicas === deployment?.spec.replicas;
    });
    await change();
    await eventually('the ConfigMap has the standard configs again', async () =>
      (await lab.api.get(configMaps, mig)).data?.['config.yaml']?.includes('all-disabled:'),
    );
    await change();
    watcher.guard(floors);
  }, 120_000);

  it('surges elsewhere when a person cordons a node, and never lifts that cordon', async () => {
    const used = (await lab.api.list(pods, { namespace: lab.namespace })).items.map(({ spec }) => spec.nodeName);
    const name = used.find((node) => node !== undefined) ?? '';
    await lab.api.patch(nodes, { name }, { spec: { unschedulable: true } });
    await eventually('the plan does without the node', async () => {
      const newest = (await lab.api.list(sharingPlans)).items.toSorted((a, b) => b.spec.sequence - a.spec.sequence)[0];
      const target = newest?.spec.transition?.target?.gpus as readonly { readonly node: string; readonly reserved?: boolean }[];
      return newest?.status?.phase === 'Ready' && target.every(({ node, reserved }) => node !== name || reserved === true) && newest;
    }).catch((error) => {
      throw new Error(`${error}\n${lab.log.slice(-30).join('\n')}`);
    });
    expect((await lab.api.get(nodes, { name })).spec?.unschedulable).toBe(true);
    expect(watcher.breaches).toEqual([]);
    for (const pod of (await lab.api.list(pods, { namespace: lab.namespace })).items) {
      if (pod.spec.nodeName === name) await lab.api.evict({ namespace: lab.namespace, name: pod.metadata.name }).catch(() => {});
    }
    await eventually('the node is drained', async () =>
      (await lab.api.list(pods, { namespace: lab.namespace })).items.every(({ spec }) => spec.nodeName !== name),
    );
    expect(watcher.breaches).toEqual([]);
    await lab.api.patch(nodes, { name }, { spec: { unschedulable: null } });
    await ready();
  }, 120_000);

  it('waits while a budget of somebody else forbids evictions, says so, and goes on when it is gone', async () => {
    const foreign = {
      metadata: { namespace: lab.namespace, name: 'hold-everything' },
      spec: { maxUnavailable: 0, selector: { matchLabels: managedBy } },
    };
    await lab.api.create(podDisruptionBudgets, foreign);
    await demandNext();
    await eventually('it says who is in the way', async () => {
      const { status } = await lab.api.get(inferenceWorkloads, { namespace: lab.namespace, name: 'media' });
      return status?.conditions?.some(({ type, message }) => type === 'Degraded' && message?.includes('hold-everything'));
    });
    await lab.api.remove(podDisruptionBudgets, foreign.metadata);
    await ready(90_000);
    expect(watcher.breaches).toEqual([]);
  }, 150_000);

  it('goes on without a node that vanishes', async () => {
    const name =
      (await lab.api.list(pods, { namespace: lab.namespace })).items.find(({ spec }) => spec.nodeName !== undefined)?.spec.nodeName ?? '';
    watcher.guard({});
    await lab.api.remove(nodes, { name });
    await eventually('every service is ready again, elsewhere', async () => {
      const { status } = await lab.api.get(inferenceWorkloads, { namespace: lab.namespace, name: 'media' });
      const { items } = await lab.api.list(pods, { namespace: lab.namespace });
      return status?.ready === '3/3' && items.every(({ spec }) => spec.nodeName !== name);
    });
  }, 90_000);
});
