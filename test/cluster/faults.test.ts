import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configMaps, deployments, nodes, podDisruptionBudgets, pods } from '../../src/cluster/client/resources.js';
import { inferenceWorkloads, sharingPlans } from '../../src/cluster/objects/kinds.js';
import { managedBy } from '../../src/cluster/objects/names.js';
import { createSeededRandom } from '../../src/demand/seeded-random.js';
import { eventually, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { type FloorWatcher, watchFloors } from './floor-watch.fixture.js';
import { type NodeWatcher, watchNodes } from './node-watch.fixture.js';
import { anInferenceWorkload, type OperatorCluster, planOfPhase, setRates, startOperatorCluster } from './operator.fixture.js';

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

describe.skipIf(whyNoCluster)(`the operator when others interfere${skippedBecause}`, () => {
  let lab: OperatorCluster;
  let watcher: FloorWatcher;
  let onlooker: NodeWatcher;
  /** What the operator asked to be evicted. */
  const evictions: string[] = [];

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
    const api = await lab.cluster.api('admin', ({ path }) => void (path.endsWith('/eviction') && evictions.push(path)));
    lab.start({ api });
    onlooker = await watchNodes(lab.api);
    await lab.api.create(inferenceWorkloads, anInferenceWorkload(lab.namespace, demands));
    await ready();
    watcher = await watchFloors(await lab.cluster.api(), lab.namespace);
    watcher.guard(floors);
  }, 120_000);
  afterAll(() => {
    watcher?.stop();
    onlooker?.stop();
    return lab?.stop();
  });

  const ready = (withinMs = 60_000) =>
    planOfPhase(lab.api, lab.namespace, 'Ready', withinMs).catch((error) => {
      throw new Error(`${error}\n${lab.log.slice(-30).join('\n')}`);
    });

  /** No service was ever below its floor, and no GPU in use was cut. */
  async function judge(): Promise<void> {
    expect(watcher.breaches).toEqual([]);
    expect((await onlooker.history()).breaches).toEqual([]);
  }

  const demandNext = () => setRates(lab.api, lab.namespace, nextRates());

  /** Changes the demand and waits for the plan to be carried out. */
  async function change(withinMs?: number): Promise<void> {
    await demandNext();
    await ready(withinMs);
    expect(watcher.breaches).toEqual([]);
  }

  it('goes on after the API server was away', async () => {
    const { controlPlane } = lab.cluster;
    if (controlPlane === undefined) return;
    await demandNext();
    await eventually('a step is under way', async () =>
      (await lab.api.list(sharingPlans)).items.some(({ status }) => status?.phase === 'Applying'),
    );
    await controlPlane.killApiServer();
    await controlPlane.startApiServer();
    const seen = watcher.events();
    await ready(90_000);
    expect(watcher.events()).toBeGreaterThan(seen);
    await judge();
  }, 150_000);

  it('undoes what a person did to its ConfigMap', async () => {
    const mig = { namespace: 'gpu-operator', name: 'inlay-mig-config' };
    await lab.api.patch(configMaps, mig, { data: { 'config.yaml': 'version: v1\nmig-configs: {}\n' } });
    await change();
    await eventually('the ConfigMap has the standard configs again', async () =>
      (await lab.api.get(configMaps, mig)).data?.['config.yaml']?.includes('all-disabled:'),
    );
    await change();
    await judge();
  }, 120_000);

  it('makes a Deployment again that a person deletes, and takes nothing away meanwhile', async () => {
    const [deployment] = (
      await lab.api.list(deployments, { namespace: lab.namespace, labelSelector: 'app.kubernetes.io/managed-by=inlay' })
    ).items;
    const wanted = Object.entries(deployment?.spec.selector.matchLabels ?? {});
    const before = evictions.length;
    watcher.guardWithout(floors, ({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value));
    await lab.api.remove(deployments, deployment?.metadata ?? { name: '' });
    await eventually('the Deployment is back with all its pods ready', async () => {
      const { items } = await lab.api.list(deployments, { namespace: lab.namespace });
      const again = items.find(({ metadata }) => metadata.name === deployment?.metadata.name);
      return again?.metadata.uid !== deployment?.metadata.uid && again?.status?.readyReplicas === deployment?.spec.replicas;
    });
    expect(evictions.slice(before)).toEqual([]);
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
    watcher.guardWithout(floors, ({ spec }) => spec.nodeName === name);
    await lab.api.remove(nodes, { name });
    await eventually('every service is ready again, elsewhere', async () => {
      const { status } = await lab.api.get(inferenceWorkloads, { namespace: lab.namespace, name: 'media' });
      const { items } = await lab.api.list(pods, { namespace: lab.namespace });
      return status?.ready === '3/3' && items.every(({ spec }) => spec.nodeName !== name);
    });
    await ready();
    watcher.guard(floors);
    await change();
    await judge();
  }, 90_000);
});
