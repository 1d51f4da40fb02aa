import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { RequestReport } from '../../src/cluster/client/connection.js';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { isNotFound } from '../../src/cluster/client/kubernetes-error.js';
import type { Node, Pod } from '../../src/cluster/client/object-types.js';
import { configMaps, namespaces, nodes, pods } from '../../src/cluster/client/resources.js';
import { scaleDelays } from '../../src/cluster/emulate/delays.js';
import { addEmulatedNodes, removeEmulatedNodes } from '../../src/cluster/emulate/emulated-fleet.js';
import { type Emulator, startEmulator } from '../../src/cluster/emulate/emulator.js';
import { faultAnnotation } from '../../src/cluster/emulate/faults.js';
import type { EmulatedNodeSpec } from '../../src/cluster/emulate/node-objects.js';
import { nodeStates } from '../../src/cluster/objects/kinds.js';
import { nvidia } from '../../src/cluster/objects/names.js';
import { eventually, startCluster, type TestCluster } from './cluster.fixture.js';
import { installCrds } from './crds.fixture.js';

/** Configs of mig-manager for two A100s. */
export const config = `version: v1
mig-configs:
  halves:
    - {devices: [0], mig-enabled: true, mig-devices: {3g.40gb: 2}}
    - {devices: [1], mig-enabled: false}
  sevenths:
    - {devices: all, mig-enabled: true, mig-devices: {1g.10gb: 7}}
  impossible:
    - {devices: all, mig-enabled: true, mig-devices: {4g.40gb: 2}}
  two-profiles:
    - {devices: all, mig-enabled: true, mig-devices: {1g.10gb: 1, 3g.40gb: 1}}
`;

/**
 * One emulator on one cluster for all tests of a file, a fresh node name for each test, and questions about that node. At the
 * end it is checked that the emulator never wrote something that the API server refused.
 */
export function useEmulatedNodes() {
  let cluster: TestCluster;
  let api: KubernetesApi;
  let own: KubernetesApi;
  const requests: RequestReport[] = [];
  let namespace: string;
  let emulator: Emulator;
  let count = 0;
  let name = '';
  const logged: string[] = [];
  const start = () =>
    startEmulator(own, {
      delays: scaleDelays(0.05),
      heartbeatMs: 1000,
      log: (message, details) => {
        logged.push(`${message} ${JSON.stringify(details)}`);
      },
    });

  beforeAll(async () => {
    cluster = await startCluster();
    api = await cluster.api();
    own = await cluster.api('admin', (report) => requests.push(report));
    await installCrds(api);
    await api.create(namespaces, { metadata: { name: 'gpu-operator' } });
    await api.create(configMaps, { metadata: { name: 'inlay-mig-config', namespace: 'gpu-operator' }, data: { 'config.yaml': config } });
    namespace = await cluster.namespace();
    emulator = start();
    await emulator.ready;
  }, 120_000);
  beforeEach(() => {
    count += 1;
    name = `node-${count}`;
  });
  afterEach(async () => {
    await removeEmulatedNodes(api);
    for (const { metadata } of (await api.list(pods, { namespace })).items) {
      await api.remove(pods, metadata, { gracePeriodSeconds: 0 }).catch(() => {});
    }
  });
  afterAll(async () => {
    emulator?.stop();
    await cluster?.stop();
    expect(logged.filter((line) => line.startsWith('cannot') || line.includes('broke'))).toEqual([]);
  });

  /** Adds a node with two A100s and waits until it offers them. */
  async function addNode(more: Partial<EmulatedNodeSpec> = {}): Promise<void> {
    await addEmulatedNodes(api, [{ name, model: 'A100-80GB', gpus: 2, ...more }]);
    await offers({ [nvidia.gpuResource]: more.gpus ?? 2 });
  }

  const label = (key: string, value: string | null) => api.patch(nodes, { name }, { metadata: { labels: { [key]: value } } });
  const cause = (fault: string) => api.patch(nodes, { name }, { metadata: { annotations: { [faultAnnotation]: fault } } });
  const ask = (value: string) => label(nvidia.migConfig, value);

  async function shows(state: string): Promise<Node> {
    return eventually(`${name} says ${state}`, async () => {
      const node = await api.get(nodes, { name });
      return node.metadata.labels?.[nvidia.migState] === state && node;
    });
  }

  /** GPU resources that can be had, without those of which there are none. */
  const offered = (node: Node) =>
    Object.fromEntries(
      Object.entries(node.status?.allocatable ?? {})
        .filter(([resource, amount]) => resource.startsWith('nvidia.com/') && amount !== '0')
        .map(([resource, amount]) => [resource, Number(amount)]),
    );

  async function offers(amounts: Record<string, number>): Promise<Node> {
    return eventually(`${name} offers ${JSON.stringify(amounts)}`, async () => {
      const node = await api.get(nodes, { name });
      const found = offered(node);
      return (
        Object.keys(found).length === Object.keys(amounts).length &&
        Object.entries(amounts).every(([key, value]) => found[key] === value) &&
        node
      );
    });
  }

  const aPod = (podName: string, resource: string, more: Partial<Pod['spec']> = {}): Pod => ({
    metadata: { name: podName, namespace },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': name },
      containers: [{ name: 'server', image: 'none', resources: { requests: { [resource]: '1' }, limits: { [resource]: '1' } } }],
      terminationGracePeriodSeconds: 5,
      ...more,
    },
  });
  const isReady = ({ status }: Pod) => status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
  const readPod = (podName: string) => api.get(pods, { namespace, name: podName });
  const isGone = (podName: string) =>
    readPod(podName).then(
      () => false,
      (error) => isNotFound(error),
    );
  const becomesReady = (podName: string) =>
    eventually(`${podName} is ready`, async () => await readPod(podName).then((pod) => isReady(pod) && pod));
  const report = async () => (await api.get(nodeStates, { name })).spec;
  const cuts = async () =>
    (await report()).gpus.map(({ migEnabled, instances }) =>
      migEnabled ? instances.map(({ profile, start: at }) => `${profile}@${at}`) : null,
    );

  return {
    get cluster() {
      return cluster;
    },
    get api() {
      return api;
    },
    get namespace() {
      return namespace;
    },
    get name() {
      return name;
    },
    /** What the emulator has asked of the API server so far. */
    requests,
    stopEmulator: () => emulator.stop(),
    async startEmulator() {
      emulator = start();
      await emulator.ready;
    },
    addNode,
    ask,
    cause,
    shows,
    offered,
    offers,
    aPod,
    isReady,
    readPod,
    isGone,
    becomesReady,
    report,
    cuts,
  };
}
