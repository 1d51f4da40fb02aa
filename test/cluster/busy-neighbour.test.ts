import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../src/cluster/client/object-types.js';
import { configMaps, pods } from '../../src/cluster/client/resources.js';
import { neighbours, neighbourTable, smallOn } from '../../src/cluster/decide/busy-neighbour.fixture.js';
import { inferenceWorkloads, nodeStates, planApprovals } from '../../src/cluster/objects/kinds.js';
import { labels } from '../../src/cluster/objects/names.js';
import type { TransitionDocument } from '../../src/demand/documents/transition.js';
import { eventually, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { anInferenceWorkload, type OperatorCluster, planOfPhase, startOperatorCluster } from './operator.fixture.js';

describe.skipIf(whyNoCluster)(`a 4g that is kept busy while the 2g beside it becomes two 1g${skippedBecause}`, () => {
  let lab: OperatorCluster;

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 1, gpus: 1 });
  }, 120_000);
  afterAll(() => lab?.stop());

  const profileOf = ({ metadata }: Pod) => metadata.labels?.[labels.profile];
  const listPods = async () => (await lab.api.list(pods, { namespace: lab.namespace })).items;
  const bigPod = async () => (await listPods()).find((pod) => profileOf(pod) === '4g.40gb')?.metadata.uid;
  const instances = async () => (await lab.api.get(nodeStates, { name: 'gpu-0' })).spec.gpus.flatMap((gpu) => gpu.instances);

  it('stays until a person agrees that mig-manager wipes the whole GPU, as the plan shows; then every instance is a new one', async () => {
    const { api, namespace } = lab;
    lab.start();
    await api.create(configMaps, { metadata: { name: 'neighbours', namespace }, data: { 'a100.csv': neighbourTable } });
    const workload = anInferenceWorkload(namespace, neighbours, {
      latency: { factor: 1 },
      performance: [{ configMap: 'neighbours', key: 'a100.csv' }],
    });
    const { services } = workload.spec;
    await api.create(inferenceWorkloads, { ...workload, spec: { ...workload.spec, services: smallOn(services, '2g.20gb') } });
    await planOfPhase(api, namespace, 'Ready');
    const [busy, before] = [await bigPod(), (await instances()).map(({ uuid }) => uuid)];
    expect(busy).toBeDefined();

    await api.patch(inferenceWorkloads, { namespace, name: 'media' }, { spec: { services: smallOn(services, '1g.10gb') } });
    const plan = await planOfPhase(api, namespace, 'Proposed');
    const { steps } = plan.spec.transition as TransitionDocument;
    const wipes = steps.flatMap((step) => (step.kind === 'wipe-gpu' ? [[step.gpu, step.layout.map(({ profile }) => profile).sort()]] : []));
    expect(wipes).toEqual([['gpu-0/0', ['1g.10gb', '1g.10gb', '4g.40gb']]]);
    expect(plan.spec.dips?.map(({ service }) => service)).toContain(`${namespace}.media.big`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await bigPod()).toBe(busy);

    const { planId, stateHash } = plan.spec;
    await api.create(planApprovals, { metadata: { name: 'yes' }, spec: { sharingPlan: plan.metadata.name, planId, stateHash } });
    await planOfPhase(api, namespace, 'Ready');
    expect(await bigPod()).not.toBe(busy);
    const after = await eventually('the node says how it is cut', async () => {
      const found = await instances();
      return found.length === 3 && found;
    });
    expect(after.map(({ profile }) => profile).sort()).toEqual(['1g.10gb', '1g.10gb', '4g.40gb']);
    expect(after.filter(({ uuid }) => before.includes(uuid))).toEqual([]);
  }, 120_000);
});
