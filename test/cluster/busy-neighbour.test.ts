import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../src/cluster/client/object-types.js';
import { configMaps, events, nodes, pods } from '../../src/cluster/client/resources.js';
import { neighbours, neighbourTable, smallOn } from '../../src/cluster/decide/busy-neighbour.fixture.js';
import { inferenceWorkloads, nodeStates, planApprovals, sharingPlans } from '../../src/cluster/objects/kinds.js';
import { labels } from '../../src/cluster/objects/names.js';
import type { TransitionDocument } from '../../src/demand/documents/transition.js';
import { eventually, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { type NodeWatcher, watchNodes } from './node-watch.fixture.js';
import { anInferenceWorkload, type OperatorCluster, planOfPhase, startOperatorCluster } from './operator.fixture.js';

describe.skipIf(whyNoCluster)(`a 4g that is kept busy while the 2g beside it becomes two 1g${skippedBecause}`, () => {
  let lab: OperatorCluster;

  let onlooker: NodeWatcher;

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 1, gpus: 1 });
    onlooker = await watchNodes(lab.api);
  }, 120_000);
  afterAll(() => {
    onlooker?.stop();
    return lab?.stop();
  });

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
    const approved = await eventually('it waits for an approval', async () => {
      const { status } = await api.get(inferenceWorkloads, { namespace, name: 'media' });
      return status?.conditions?.find(({ type, reason }) => type === 'Approved' && reason === 'WaitsForApproval');
    });
    expect(approved.status).toBe('False');
    expect(approved.message).toMatch(/services fall below their demand on the way .*\.media\.big misses 90 rps for \d/);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await bigPod()).toBe(busy);
    const asked = (await onlooker.history()).timeline('gpu-0').length;

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

    const { breaches, timeline } = await onlooker.history();
    expect(breaches).toEqual([]);
    // Closed first, told only when both pods are gone, opened only when it offers what it was told.
    const order = timeline('gpu-0')
      .slice(asked)
      .join(', ')
      .replaceAll(/(big|small)/g, 'pod');
    expect(order).toMatch(
      /^cordoned, (pod leaves, pod leaves, pod is gone|pod leaves, pod is gone, pod leaves), pod is gone, told inlay-\w+, pending, offers , (success, )?offers [^,]*1g\.10gb:2[^,]*4g\.40gb:1, (success, )?opened$/,
    );
  }, 120_000);

  it('leaves one event of each step on the object that it changed, and none when nothing is left to do', async () => {
    const { api, namespace } = lab;
    const told = async () => {
      const all = [...(await api.list(events, { namespace })).items, ...(await api.list(events, { namespace: 'default' })).items];
      const own = [...all, ...(await api.list(events, { namespace: 'gpu-operator' })).items];
      return own
        .filter(({ reportingController }) => reportingController === 'inlay.dev/operator')
        .map(({ reason, regarding: { kind, name, uid } }) => `${reason} ${kind} ${name} ${uid}`)
        .sort();
    };
    const all = await told();
    const of = (reason: string) => all.filter((line) => line.startsWith(`${reason} `));
    const plans = (await api.list(sharingPlans)).items.map(({ metadata: { name, uid } }) => `PlanMade SharingPlan ${name} ${uid}`).sort();
    expect(plans).toHaveLength(2);
    expect(of('PlanMade')).toEqual(plans);
    const node = await api.get(nodes, { name: 'gpu-0' });
    const history = (await onlooker.history()).timeline('gpu-0');
    const onNode = (reason: string, line: RegExp) =>
      history.filter((one) => line.test(one)).map(() => `${reason} Node gpu-0 ${node.metadata.uid}`);
    expect(of('NodeCordoned')).toEqual(onNode('NodeCordoned', /^cordoned$/));
    expect(of('LayoutChanging')).toEqual(onNode('LayoutChanging', /^told inlay-/));
    expect(of('NodeReleased')).toEqual(onNode('NodeReleased', /^opened$/));
    expect(of('LayoutChanging')).toHaveLength(2);
    const map = await api.get(configMaps, { namespace: 'gpu-operator', name: 'inlay-mig-config' });
    expect(new Set(of('ConfigWritten'))).toEqual(new Set([`ConfigWritten ConfigMap inlay-mig-config ${map.metadata.uid}`]));
    // The pods that run now were given their slots once each; those of the first plan were evicted once each.
    const uidsOf = (reason: string) => of(reason).map((line) => line.split(' ').at(-1));
    const running = (await listPods()).map(({ metadata }) => metadata.uid);
    expect(uidsOf('SlotGiven')).toEqual([...new Set(uidsOf('SlotGiven'))]);
    expect(uidsOf('PodEvicted')).toEqual([...new Set(uidsOf('PodEvicted'))]);
    expect(running.filter((uid) => !uidsOf('SlotGiven').includes(uid))).toEqual([]);
    expect(
      uidsOf('SlotGiven')
        .filter((uid) => !running.includes(uid))
        .sort(),
    ).toEqual(uidsOf('PodEvicted').sort());
    expect(uidsOf('PodEvicted')).toHaveLength(2);
    expect(of('DeploymentCreated').length).toBeGreaterThan(2);
    expect(of('DeploymentRemoved')).toEqual([...new Set(of('DeploymentRemoved'))]);
    expect(of('DeploymentRemoved').length).toBeGreaterThan(0);

    // Another process looks at everything anew, and something happens again and again.
    lab.start({ identity: 'another' });
    for (let n = 0; n < 5; n++) {
      await api.patch(nodes, { name: 'gpu-0' }, { metadata: { annotations: { 'test.inlay.dev/touched': String(n) } } });
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(await told()).toEqual(all);
  }, 60_000);
});
