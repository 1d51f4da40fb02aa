import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { isConflict, isNotFound, isTooManyRequests } from '../../src/cluster/client/kubernetes-error.js';
import type { Deployment, Pod, PodDisruptionBudget } from '../../src/cluster/client/object-types.js';
import { configMaps, deployments, nodes, podDisruptionBudgets, pods } from '../../src/cluster/client/resources.js';
import { kubelab } from '../../tools/find-kubelab.js';
import { testLabel } from './clean-cluster.fixture.js';
import { eventually, skippedBecause, startCluster, type TestCluster, whyNoCluster } from './cluster.fixture.js';

/** What the tests of the operator rest on: that this is a Kubernetes, and behaves like one. */
describe.skipIf(whyNoCluster)(`the cluster for tests${skippedBecause}`, () => {
  let cluster: TestCluster;
  let api: KubernetesApi;
  let namespace: string;

  beforeAll(async () => {
    cluster = await startCluster();
    api = await cluster.api();
    namespace = await cluster.namespace();
  }, 120_000);
  afterAll(async () => {
    const { folder, pids } = cluster?.controlPlane ?? {};
    const before = Object.values(pids?.() ?? {});
    await cluster?.stop();
    // Nothing may be left: neither a process nor a file.
    expect(before.filter(isAlive)).toEqual([]);
    expect(existsSync(folder ?? '/nonexistent')).toBe(false);
  });

  it('is of the version that go.mod names', async ({ skip }) => {
    if (cluster.controlPlane === undefined) skip();
    const [, wanted] = /k8s[.]io\/kubernetes (v[\d.]+)/.exec(readFileSync(`${kubelab.sources}/go.mod`, 'utf8')) ?? [];
    expect(await api.read('/version')).toMatchObject({ gitVersion: wanted });
    expect(execFileSync(kubelab.binary, ['kubectl', 'version', '--client'], { encoding: 'utf8' })).toContain(wanted);
  });

  it('makes pods of a Deployment, binds them to a node that has room, and counts them for a budget', async () => {
    await makeNode('room-1', 2);
    await api.create(deployments, aDeployment('web', 3));
    await api.create(podDisruptionBudgets, aBudget('web', 2));
    const bound = await eventually('two pods are bound, the third has no room', async () => {
      const list = await podsOf('web');
      const placed = list.filter(({ spec }) => spec.nodeName === 'room-1');
      return placed.length === 2 && list.length === 3 && placed;
    });
    for (const pod of bound) await markReady(pod);
    await eventually('the budget counts the ready pods', async () => {
      const { status } = await api.get(podDisruptionBudgets, { namespace, name: 'web' });
      return status?.currentHealthy === 2 && status.disruptionsAllowed === 0;
    });
    const [pod] = bound;
    await expect(api.evict({ namespace, name: pod?.metadata.name ?? '' }, { uid: pod?.metadata.uid })).rejects.toSatisfy(isTooManyRequests);
    await api.patch(podDisruptionBudgets, { namespace, name: 'web' }, { spec: { minAvailable: 1 } });
    await eventually('the eviction is allowed', () =>
      api.evict({ namespace, name: pod?.metadata.name ?? '' }, { uid: pod?.metadata.uid }).then(
        () => true,
        (error) => {
          if (isTooManyRequests(error)) return false;
          throw error;
        },
      ),
    );
  });

  it('keeps a gated pod unscheduled until its gate is lifted and its node named in one patch', async () => {
    await makeNode('gate-1', 1);
    await makeNode('gate-2', 1);
    const spec = { ...aPod('x').spec, schedulingGates: [{ name: 'inlay.dev/slot' }] };
    await api.create(pods, { metadata: { name: 'gated', namespace }, spec });
    await eventually('the scheduler says that it is gated', async () =>
      (await api.get(pods, { namespace, name: 'gated' })).status?.conditions?.some(({ reason }) => reason === 'SchedulingGated'),
    );
    const patch = { spec: { nodeSelector: { 'kubernetes.io/hostname': 'gate-2' }, schedulingGates: null } };
    await api.patch(pods, { namespace, name: 'gated' }, patch, { type: 'strategic' });
    await eventually(
      'it is bound to the node named',
      async () => (await api.get(pods, { namespace, name: 'gated' })).spec.nodeName === 'gate-2',
    );
  });

  it('refuses stale versions, other owners of a field and wrong uids', async () => {
    const map = await api.create(configMaps, { metadata: { name: 'map', namespace }, data: { key: '1' } });
    await api.patch(configMaps, map.metadata, { data: { key: '2' } });
    await expect(api.replace(configMaps, { ...map, data: { key: '3' } })).rejects.toSatisfy(isConflict);
    const applied = { metadata: { name: 'map', namespace }, data: { key: '4' } };
    await expect(api.apply(configMaps, applied, { fieldManager: 'other' })).rejects.toSatisfy(isConflict);
    await expect(api.remove(configMaps, map.metadata, { uid: 'wrong' })).rejects.toSatisfy(isConflict);
    await expect(api.get(configMaps, { namespace, name: 'none' })).rejects.toSatisfy(isNotFound);
  });

  it('lets a user do what RBAC says and nothing else', async () => {
    const nobody = await cluster.api('team');
    await expect(nobody.list(nodes)).rejects.toMatchObject({ status: 403 });
  });

  function aPod(app: string): Pod {
    const resources = { requests: { 'nvidia.com/mig-1g.10gb': '1' }, limits: { 'nvidia.com/mig-1g.10gb': '1' } };
    return { metadata: { name: app, namespace, labels: { app } }, spec: { containers: [{ name: 'server', image: 'none', resources }] } };
  }

  function aDeployment(name: string, replicas: number): Deployment {
    const { spec, metadata } = aPod(name);
    const nodeSelector = { 'kubernetes.io/hostname': 'room-1' };
    return {
      metadata: { name, namespace },
      spec: {
        replicas,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: metadata.labels ?? {} }, spec: { ...spec, nodeSelector } },
      },
    };
  }

  function aBudget(name: string, minAvailable: number): PodDisruptionBudget {
    return { metadata: { name, namespace }, spec: { minAvailable, selector: { matchLabels: { app: name } } } };
  }

  async function makeNode(name: string, slices: number): Promise<void> {
    await api.create(nodes, { metadata: { name, labels: { 'kubernetes.io/hostname': name, [testLabel]: '' } } });
    // Admission taints every new node as not ready; the controller that would lift it does not run here.
    await api.patch(nodes, { name }, { spec: { taints: null } });
    const allocatable = { cpu: '8', memory: '8Gi', pods: '10', 'nvidia.com/mig-1g.10gb': String(slices) };
    const status = { allocatable, capacity: allocatable, conditions: [{ type: 'Ready', status: 'True' }] };
    await api.patch(nodes, { name }, { status }, { subresource: 'status' });
  }

  async function podsOf(app: string): Promise<readonly Pod[]> {
    return (await api.list(pods, { namespace, labelSelector: `app=${app}` })).items;
  }

  async function markReady(pod: Pod): Promise<void> {
    const conditions = [{ type: 'Ready', status: 'True' }];
    await api.patch(pods, pod.metadata, { status: { phase: 'Running', conditions } }, { type: 'strategic', subresource: 'status' });
  }
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
