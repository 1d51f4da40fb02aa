import { beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { isNotFound } from '../../src/cluster/client/kubernetes-error.js';
import type { Pod } from '../../src/cluster/client/object-types.js';
import { nodes, pods } from '../../src/cluster/client/resources.js';
import { faultAnnotation } from '../../src/cluster/emulate/faults.js';
import { nvidia } from '../../src/cluster/objects/names.js';
import { eventually, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { useEmulatedNodes } from './emulated-nodes.fixture.js';

const one = 'nvidia.com/mig-1g.10gb';
const three = 'nvidia.com/mig-3g.40gb';

describe.skipIf(whyNoCluster)(`the emulated GPU nodes told to go wrong${skippedBecause}`, () => {
  const lab = useEmulatedNodes();
  const { addNode, ask, cause, shows, offered, offers, aPod, isReady, readPod, isGone, becomesReady, report, cuts } = lab;
  let api: KubernetesApi;
  let namespace: string;
  let name: string;

  beforeEach(() => {
    ({ api, namespace, name } = lab);
  });

  it('mig-fail: fails once, changes nothing, and then works', async () => {
    await addNode();
    await cause('mig-fail:1');
    await ask('halves');
    await shows('failed');
    expect(await cuts()).toEqual([null, null]);
    expect((await api.get(nodes, { name })).metadata.annotations?.[faultAnnotation]).toBeUndefined();
    await ask('sevenths');
    await offers({ [one]: 14 });
  });

  it('mig-fail-midway: half of the GPUs are changed', async () => {
    await addNode();
    await cause('mig-fail-midway:1');
    await ask('sevenths');
    await shows('failed');
    await eventually('one is cut, one is not', async () => {
      const [first, second] = await cuts();
      return first?.length === 7 && second === null;
    });
    await offers({ [one]: 7, [nvidia.gpuResource]: 1 });
  });

  it('mig-stuck: stays pending with the node components paused until another config is asked for', async () => {
    await addNode();
    await cause('mig-stuck:1');
    await ask('sevenths');
    const node = await shows('pending');
    await offers({});
    expect(node.metadata.labels?.[nvidia.migState]).toBe('pending');
    await ask('halves');
    await offers({ [three]: 2, [nvidia.gpuResource]: 1 });
  });

  it('mig-empty: reports success and offers nothing', async () => {
    await addNode();
    await cause('mig-empty:1');
    await ask('sevenths');
    await shows('success');
    await offers({});
    expect(await cuts()).toEqual([[], []]);
  });

  it('mig-reboot: the node goes down, and its pods start anew or are refused', async () => {
    await addNode();
    await api.create(pods, aPod('before', nvidia.gpuResource));
    await becomesReady('before');
    await cause('mig-reboot:1');
    await ask('halves');
    await shows('rebooting');
    await eventually('the node is not ready', async () =>
      (await api.get(nodes, { name })).status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'Unknown'),
    );
    await shows('success');
    await offers({ [three]: 2, [nvidia.gpuResource]: 1 });
    await eventually(
      'the container was restarted',
      async () => (await readPod('before')).status?.containerStatuses?.[0]?.restartCount === 1,
    );
  });

  it('plugin-slow: success comes before the capacity', async () => {
    await addNode();
    await cause('plugin-slow:1');
    await ask('sevenths');
    expect(offered(await shows('success'))).toEqual({});
    await offers({ [one]: 14 });
  });

  it('agent-missing, agent-stale, agent-lies: the report is gone, old or wrong', async () => {
    await addNode();
    await cause('agent-stale');
    await ask('sevenths');
    await offers({ [one]: 14 });
    expect(await cuts()).toEqual([null, null]);
    await cause('agent-lies');
    await eventually('GPU 0 seems whole', async () => {
      const [first, second] = await cuts();
      return first === null && second?.length === 7;
    });
    await cause('agent-missing');
    await eventually('there is no report', () => report().then(() => false, isNotFound));
    await cause('');
    await eventually('the truth is back', async () => (await cuts().catch(() => []))[0]?.length === 7);
  });

  it('not-ready: the kubelet does nothing until the node is back', async () => {
    await addNode();
    await api.create(pods, aPod('waits', nvidia.gpuResource));
    await becomesReady('waits');
    await cause('not-ready');
    await eventually('it is not ready', async () =>
      (await api.get(nodes, { name })).status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'Unknown'),
    );
    await api.remove(pods, { namespace, name: 'waits' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await isGone('waits')).toBe(false);
    await cause('');
    await eventually('it is deleted', () => isGone('waits'));
  });

  it.each([
    ['never-ready', ({ status }: Pod) => status?.phase === 'Running' && status.containerStatuses?.[0]?.ready === false],
    ['crash-loop', ({ status }: Pod) => (status?.containerStatuses?.[0]?.restartCount ?? 0) >= 2],
  ])('%s: a pod that runs and is not ready, until the fault is taken away', async (fault, shown) => {
    await addNode();
    const pod = aPod(fault, nvidia.gpuResource);
    await api.create(pods, { ...pod, metadata: { ...pod.metadata, annotations: { [faultAnnotation]: fault } } });
    await eventually(`it shows ${fault}`, async () => shown(await readPod(fault)));
    expect(isReady(await readPod(fault))).toBe(false);
    await api.patch(pods, { namespace, name: fault }, { metadata: { annotations: { [faultAnnotation]: null } } });
    await becomesReady(fault);
  });

  it('stuck-terminating: a pod stays and holds its device until it is deleted by force', async () => {
    await addNode();
    const pod = aPod('stuck', nvidia.gpuResource);
    await api.create(pods, { ...pod, metadata: { ...pod.metadata, annotations: { [faultAnnotation]: 'stuck-terminating' } } });
    await becomesReady('stuck');
    await api.remove(pods, pod.metadata);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await readPod('stuck')).metadata.deletionTimestamp).toBeDefined();
    await api.remove(pods, pod.metadata, { gracePeriodSeconds: 0 });
    await eventually('its device is free', async () => (await report()).gpus.every(({ pod: holder }) => holder === undefined));
  });
});
