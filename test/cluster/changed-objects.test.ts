import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployments, nodes, podDisruptionBudgets, pods, type Resource, services } from '../../src/cluster/client/resources.js';
import { gpuPools, inferenceWorkloads, sharingPlans } from '../../src/cluster/objects/kinds.js';
import { annotations } from '../../src/cluster/objects/names.js';
import { eventually, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { anInferenceWorkload, type OperatorCluster, planOfPhase, setRates, startOperatorCluster } from './operator.fixture.js';

const demands = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
};

describe.skipIf(whyNoCluster)(`objects that change in the middle of a transition${skippedBecause}`, () => {
  let lab: OperatorCluster;

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 2, gpus: 2 });
    lab.start();
    await lab.api.create(inferenceWorkloads, anInferenceWorkload(lab.namespace, demands));
    await planOfPhase(lab.api, lab.namespace, 'Ready');
  }, 120_000);
  afterAll(() => lab?.stop());

  /** Nodes that carry the operator's cordon. */
  async function cordoned(): Promise<readonly string[]> {
    const { items } = await lab.api.list(nodes);
    return items.flatMap(({ metadata }) => (metadata.annotations?.[annotations.cordonedBy] === undefined ? [] : [metadata.name]));
  }

  async function untilCordoned(): Promise<void> {
    await eventually('a node is cordoned', async () => (await cordoned()).length > 0);
  }

  async function untilOpen(): Promise<void> {
    await eventually('every node is open', async () => {
      const { items } = await lab.api.list(nodes);
      const isOpen = items.every(
        ({ metadata, spec }) => spec?.unschedulable !== true && metadata.annotations?.[annotations.attempt] === undefined,
      );
      return isOpen && (await cordoned()).length === 0;
    });
  }

  it('a pool is handed to a person and back: nodes are opened, pods stay, and then the operator goes on', async () => {
    const { api, namespace } = lab;
    await setRates(api, namespace, { tags: 200, search: 700 });
    await untilCordoned();
    await api.patch(gpuPools, { name: 'a100' }, { spec: { backend: 'manual' } });
    await eventually('the plan is for a person', async () => {
      const { status } = await api.get(inferenceWorkloads, { namespace, name: 'media' });
      return status?.conditions?.some(({ reason }) => reason === 'WaitsForPerson');
    });
    const running = (await api.list(pods, { namespace })).items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    await untilOpen();
    const left = new Set((await api.list(pods, { namespace })).items.map(({ metadata }) => metadata.uid));
    expect(running.filter(({ metadata }) => !left.has(metadata.uid))).toEqual([]);
    await api.patch(gpuPools, { name: 'a100' }, { spec: { backend: 'mig-manager' } });
    await planOfPhase(api, namespace, 'Ready');
    await untilOpen();
  }, 120_000);

  it('a workload is deleted: its nodes are opened, its plans are over, and all that it owned goes with it', async () => {
    const { api, namespace } = lab;
    await setRates(api, namespace, { tags: 900, search: 300 });
    await untilCordoned();
    const { metadata } = await api.get(inferenceWorkloads, { namespace, name: 'media' });
    await api.remove(inferenceWorkloads, { namespace, name: 'media' }, { uid: metadata.uid ?? '' });
    await untilOpen();
    await eventually('its plans are over', async () =>
      (await api.list(sharingPlans)).items.every(({ status }) => status?.phase === 'Superseded'),
    );
    // The garbage collector of a young control plane takes half a minute to know the kind of the owner; that it will come is enough.
    const kinds: readonly Resource[] = [deployments, services, podDisruptionBudgets];
    for (const { items } of await Promise.all(kinds.map((kind) => api.list(kind, { namespace }))))
      for (const one of items) expect(one.metadata.ownerReferences).toMatchObject([{ kind: 'InferenceWorkload', uid: metadata.uid }]);
  }, 120_000);
});
