import { beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../src/cluster/client/connect.js';
import type { RequestReport } from '../../src/cluster/client/connection.js';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import type { Node } from '../../src/cluster/client/object-types.js';
import { configMaps, leases, nodes, pods } from '../../src/cluster/client/resources.js';
import { scaleDelays } from '../../src/cluster/emulate/delays.js';
import { addEmulatedNodes, removeEmulatedNodes } from '../../src/cluster/emulate/emulated-fleet.js';
import { startEmulator } from '../../src/cluster/emulate/emulator.js';
import { nodeStates } from '../../src/cluster/objects/kinds.js';
import { nvidia } from '../../src/cluster/objects/names.js';
import { eventually, ownsCluster, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { config, useEmulatedNodes } from './emulated-nodes.fixture.js';
import { startFaultyProxy } from './faulty-proxy.fixture.js';

const one = 'nvidia.com/mig-1g.10gb';
const three = 'nvidia.com/mig-3g.40gb';

describe.skipIf(whyNoCluster)(`the emulated GPU nodes${skippedBecause}`, () => {
  const lab = useEmulatedNodes();
  const { addNode, ask, shows, offered, offers, aPod, isReady, readPod, isGone, becomesReady, report, cuts } = lab;
  let api: KubernetesApi;
  let namespace: string;
  let name: string;

  beforeEach(() => {
    ({ api, namespace, name } = lab);
  });

  it('looks like a node of the GPU Operator before anything is cut', async () => {
    await addNode();
    const { metadata, spec } = await api.get(nodes, { name });
    expect(metadata.labels).toMatchObject({
      'nvidia.com/gpu.count': '2',
      'nvidia.com/mig.capable': 'true',
      'nvidia.com/mig.strategy': 'mixed',
      'nvidia.com/gpu.deploy.device-plugin': 'true',
    });
    expect(metadata.labels?.[nvidia.product]).toMatch(/^NVIDIA-A100-.*80GB/);
    expect(spec?.taints ?? []).toEqual([]);
    expect(await eventually('the agent reports', () => report().catch(() => undefined))).toMatchObject({
      gpus: [{ index: 0, migEnabled: false, instances: [] }, { index: 1 }],
    });
    await eventually('it renews its lease', () => api.get(leases, { namespace: 'kube-node-lease', name }).catch(() => undefined), 15_000);
  });

  it('cuts the GPUs as the config says, and has nothing to offer meanwhile', async () => {
    await addNode();
    await ask('halves');
    await shows('pending');
    const isPaused = ({ metadata }: Node) => metadata.labels?.['nvidia.com/gpu.deploy.device-plugin'] === 'paused-for-mig-change';
    await eventually('the node components are paused', async () => isPaused(await api.get(nodes, { name })));
    await eventually('nothing is offered', async () => Object.keys(offered(await api.get(nodes, { name }))).length === 0);
    await shows('success');
    const after = await offers({ [three]: 2, [nvidia.gpuResource]: 1 });
    expect(after.metadata.labels).toMatchObject({ [`${three}.count`]: '2', 'nvidia.com/gpu.count': '2' });
    expect(await cuts()).toEqual([['3g.40gb@0', '3g.40gb@4'], null]);
    await ask('sevenths');
    // A resource that is gone is kept with 0.
    expect((await offers({ [one]: 14 })).status?.allocatable).toMatchObject({ [three]: '0', [nvidia.gpuResource]: '0' });
  });

  it('refuses a name that is not in the file, and a cut that no placement allows', async () => {
    await addNode();
    await ask('no-such-config');
    await shows('failed');
    expect(offered(await api.get(nodes, { name }))).toEqual({ [nvidia.gpuResource]: 2 });
    await ask('impossible');
    await eventually('GPU 0 was wiped', async () => (await cuts())[0]?.length === 0);
    await shows('failed');
  });

  it('sees a new config only after the ConfigMap has reached the node', async () => {
    await addNode();
    const fresh = `${config}  fresh-${name}:\n    - {devices: all, mig-enabled: true, mig-devices: {7g.80gb: 1}}\n`;
    await api.patch(configMaps, { namespace: 'gpu-operator', name: 'inlay-mig-config' }, { data: { 'config.yaml': fresh } });
    await ask(`fresh-${name}`);
    await shows('failed');
    await ask('halves');
    await shows('success');
    await ask(`fresh-${name}`);
    await offers({ 'nvidia.com/mig-7g.80gb': 2 });
  });

  it('offers nothing under strategy single when a node holds two profiles', async () => {
    await addNode({ strategy: 'single' });
    await ask('two-profiles');
    const node = await shows('success');
    await offers({});
    expect((await api.get(nodes, node.metadata)).metadata.labels).toMatchObject({ 'nvidia.com/gpu.count': '0' });
    expect((await api.get(nodes, { name })).metadata.labels?.[nvidia.product]).toMatch(/-MIG-INVALID$/);
    await ask('sevenths');
    await offers({ [nvidia.gpuResource]: 14 });
  });

  it('prints the profile names of its driver', async () => {
    await addNode({ names: { '3g.40gb': '3g.39gb' } });
    await ask('all-3g.39gb');
    await shows('failed');
    await api.patch(
      configMaps,
      { namespace: 'gpu-operator', name: 'inlay-mig-config' },
      { data: { 'config.yaml': `${config}  drifted:\n    - {devices: all, mig-enabled: true, mig-devices: {3g.39gb: 2}}\n` } },
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    await ask('drifted');
    await offers({ 'nvidia.com/mig-3g.39gb': 4 });
  });

  it('runs pods, tells which instance each holds, and frees it when the pod has ended', async () => {
    await addNode();
    await ask('halves');
    await offers({ [three]: 2, [nvidia.gpuResource]: 1 });
    await api.create(pods, aPod('first', three));
    await api.create(pods, aPod('whole', nvidia.gpuResource));
    const first = await becomesReady('first');
    await becomesReady('whole');
    expect(first.status?.podIP).toMatch(/^10[.]/);
    const { gpus } = await eventually('the agent reports both', async () => {
      const found = await report();
      return found.gpus[1]?.pod !== undefined && found;
    });
    expect(gpus[0]?.instances.map(({ pod }) => pod?.name)).toEqual(['first', undefined]);
    expect(gpus[1]?.pod).toEqual({ namespace, name: 'whole', uid: expect.any(String), container: 'server' });
    await api.remove(pods, { namespace, name: 'first' });
    await eventually('it has ended', () => isGone('first'));
    await eventually('its instance is free', async () => (await report()).gpus[0]?.instances.every(({ pod }) => pod === undefined));
  });

  it('waits for readiness gates that someone else opens', async () => {
    await addNode();
    await api.create(pods, aPod('gated', nvidia.gpuResource, { readinessGates: [{ conditionType: 'inlay.dev/in-plan' }] }));
    const pod = await eventually('the containers are ready', async () => {
      const found = await readPod('gated');
      return found.status?.conditions?.some(({ type, status }) => type === 'ContainersReady' && status === 'True') && found;
    });
    expect(isReady(pod)).toBe(false);
    const conditions = [{ type: 'inlay.dev/in-plan', status: 'True' }];
    await api.patch(pods, pod.metadata, { status: { conditions } }, { type: 'strategic', subresource: 'status' });
    await becomesReady('gated');
  });

  it('fails a pod for which no device is left', async () => {
    await addNode({ gpus: 1 });
    await api.create(pods, aPod('takes', nvidia.gpuResource));
    await becomesReady('takes');
    // Bound past the scheduler, as in the race between scheduler and device plugin.
    const { nodeSelector: _, ...spec } = aPod('late', nvidia.gpuResource).spec;
    await api.create(pods, { metadata: { name: 'late', namespace }, spec: { ...spec, nodeName: name } });
    await eventually('it is refused', async () => (await readPod('late')).status?.reason === 'UnexpectedAdmissionError');
    expect((await readPod('late')).status?.phase).toBe('Failed');
  });

  it('cannot change a GPU that a pod uses, and goes on with the others until then', async () => {
    await addNode();
    await ask('sevenths');
    await offers({ [one]: 14 });
    await api.create(pods, aPod('busy', one));
    await becomesReady('busy');
    await ask('halves');
    await shows('failed');
    await offers({ [one]: 14 });
    await api.remove(pods, { namespace, name: 'busy' });
    await eventually('it has ended', () => isGone('busy'));
    // The same value again is no change: mig-manager does nothing.
    await ask('halves');
    expect(await cuts()).toHaveLength(2);
    await ask('sevenths');
    await shows('success');
    await ask('halves');
    await offers({ [three]: 2, [nvidia.gpuResource]: 1 });
  });

  it('is served on by the next emulator, and pods keep their instances', async () => {
    await addNode();
    await ask('sevenths');
    await offers({ [one]: 14 });
    for (const pod of ['a', 'b', 'c']) await api.create(pods, aPod(pod, one));
    for (const pod of ['a', 'b', 'c']) await becomesReady(pod);
    const before = await eventually('all are reported', async () => {
      const { gpus } = await report();
      return gpus.flatMap(({ instances }) => instances).filter(({ pod }) => pod !== undefined).length === 3 && gpus;
    });
    lab.stopEmulator();
    await api.remove(pods, { namespace, name: 'b' });
    await lab.startEmulator();
    await eventually('the deletion is completed', () => isGone('b'));
    const after = await eventually('two are reported', async () => {
      const { gpus } = await report();
      return gpus.flatMap(({ instances }) => instances).filter(({ pod }) => pod !== undefined).length === 2 && gpus;
    });
    const holders = (gpus: typeof before) =>
      gpus.flatMap(({ instances }) => instances.map(({ uuid, pod }) => `${uuid} ${pod?.name ?? ''}`));
    expect(holders(after)).toEqual(holders(before).map((line) => line.replace(/ b$/, ' ')));
  });

  it('deletes the pods of a node that is gone', async () => {
    await addNode();
    await api.create(pods, aPod('lost', nvidia.gpuResource));
    await becomesReady('lost');
    await api.remove(nodes, { name });
    await eventually('the pod is gone with it', () => isGone('lost'));
  });

  it('leaves neither nodes nor reports nor pods behind when the fleet is removed, and touches no other node', async () => {
    await addNode();
    await api.create(nodes, { metadata: { name: 'real' } });
    await api.create(pods, aPod('left', nvidia.gpuResource));
    await becomesReady('left');
    expect(await addEmulatedNodes(api, [{ name, model: 'A100-80GB', gpus: 2 }])).toBe(0);
    expect(await removeEmulatedNodes(api)).toBe(1);
    await eventually('its pod is gone', () => isGone('left'));
    await eventually('its report is gone', async () => (await api.list(nodeStates)).items.length === 0);
    expect((await api.list(nodes)).items.map(({ metadata }) => metadata.name)).toEqual(['real']);
    await api.remove(nodes, { name: 'real' });
  });

  it.skipIf(!ownsCluster)('keeps what events told it while the answer to its own write was under way', async () => {
    await addNode();
    lab.stopEmulator();
    const proxy = await startFaultyProxy(lab.cluster.controlPlane?.server ?? '');
    const slow = await connect({ kubeconfig: await lab.cluster.kubeconfig('admin', proxy.server) });
    const emulator = startEmulator(slow, { delays: scaleDelays(0.05), heartbeatMs: 0 });
    await emulator.ready;
    proxy.holdAnswers({ method: 'PATCH', path: /pods\/overtaken\/status/ }, 500);
    await api.create(pods, aPod('overtaken', nvidia.gpuResource, { readinessGates: [{ conditionType: 'inlay.dev/in-plan' }] }));
    const { metadata } = await eventually('its containers are ready', async () => {
      const pod = await readPod('overtaken');
      return pod.status?.conditions?.some(({ type, status }) => type === 'ContainersReady' && status === 'True') && pod;
    });
    // The answer to that write is held back, so the emulator sees this one first.
    const conditions = [{ type: 'inlay.dev/in-plan', status: 'True' }];
    await api.patch(pods, metadata, { status: { conditions } }, { type: 'strategic', subresource: 'status' });
    await becomesReady('overtaken');
    emulator.stop();
    slow.close();
    await proxy.stop();
    await lab.startEmulator();
  });

  it('writes nothing while nothing changes', async () => {
    await addNode();
    await ask('halves');
    await offers({ [three]: 2, [nvidia.gpuResource]: 1 });
    await api.create(pods, aPod('still', three));
    await becomesReady('still');
    await eventually('it is reported', async () => (await report()).gpus[0]?.instances.some(({ pod }) => pod !== undefined));
    const isWrite = ({ method, path }: RequestReport) => method !== 'GET' && !path.includes('/leases/');
    const before = lab.requests.filter(isWrite).length;
    // Events of nodes and pods come all the same.
    await api.patch(nodes, { name }, { metadata: { annotations: { noise: '1' } } });
    await api.patch(pods, { namespace, name: 'still' }, { metadata: { annotations: { noise: '1' } } });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(lab.requests.filter(isWrite).slice(before)).toEqual([]);
  });
});
