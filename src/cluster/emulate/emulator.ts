import { type Informer, startInformer } from '../client/informer.js';
import type { KubernetesApi } from '../client/kubernetes-api.js';
import type { ConfigMap, Node, Pod } from '../client/object-types.js';
import { configMaps, leases, nodes, pods } from '../client/resources.js';
import { nodeStates } from '../objects/kinds.js';
import type { NodeStateSpec } from '../objects/node-state.js';
import { defaultDelays, type EmulatorDelays } from './delays.js';
import { createKubelet } from './emulated-kubelet.js';
import { type EmulatedNode, serveNode } from './emulated-node.js';
import { emulatedLabel, hardwareAnnotation, readHardware } from './node-objects.js';
import { createWork, Stopped } from './work.js';

export interface EmulatorOptions {
  readonly delays?: EmulatorDelays;
  /** The ConfigMap that mig-manager reads; without one of this name it has its standard configs only. */
  readonly migManager?: { readonly namespace: string; readonly configMap: string };
  /** Each so often a node says that it lives, milliseconds; 0 for never, where no node lifecycle controller runs. */
  readonly heartbeatMs?: number;
  readonly log?: (message: string, details: Readonly<Record<string, unknown>>) => void;
}

export interface Emulator {
  /** All nodes that were there at the start are served. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** Nodes are looked at again each so often, so that a write that was refused for good is tried once more. Milliseconds. */
const nodeResyncMs = 60_000;
const defaultMigManager = { namespace: 'gpu-operator', configMap: 'inlay-mig-config' };

/**
 * Serves every node with the label `emulate.inlay.dev/node`, those that are added later too, and the pods bound to them.
 * Nothing is kept but in the cluster: another emulator goes on where this one stopped.
 */
export function startEmulator(api: KubernetesApi, options: EmulatorOptions = {}): Emulator {
  const { delays = defaultDelays, migManager = defaultMigManager, heartbeatMs = 10_000, log = () => {} } = options;
  const stopping = new AbortController();
  const work = createWork(stopping.signal);
  const served = new Map<string, EmulatedNode>();
  const earlier = new Map<string, NodeStateSpec>();
  const informers: { stop(): void }[] = [];
  let projected: string | undefined;
  const kubelet = createKubelet({ api, delays, work, log, node: (name) => served.get(name) });
  const onError = (error: unknown) => log('cannot follow the cluster', { error: String(error) });

  function serve(node: Node): void {
    const { name } = node.metadata;
    if (readHardware(node) === undefined) {
      log('the node has no hardware that can be emulated', { node: name, annotation: hardwareAnnotation });
      return;
    }
    const surroundings = { api, delays, work, log, configFile: () => projected, earlierReport: earlier.get(name) };
    const host = serveNode(node, surroundings, (rebooted) => kubelet.revisit(name, rebooted));
    served.set(name, host);
    host.observe(node);
  }

  function drop(name: string): void {
    const host = served.get(name);
    if (host === undefined) return;
    served.delete(name);
    kubelet.orphan(name);
    host.end().catch((error: unknown) => {
      if (!(error instanceof Stopped)) log('cannot take back the report', { node: name, error: String(error) });
    });
  }

  function followNodes(): Informer<Node> {
    const look = (node: Node) => {
      const host = served.get(node.metadata.name);
      if (host === undefined) serve(node);
      else host.observe(node);
    };
    const informer = startInformer(api, nodes, {
      labelSelector: `${emulatedLabel}=true`,
      resyncMs: nodeResyncMs,
      onError,
      onChange(changed) {
        if (changed !== undefined) {
          const node = informer.get(changed);
          if (node === undefined) drop(changed.name);
          else look(node);
          return;
        }
        for (const name of served.keys()) if (informer.get({ name }) === undefined) drop(name);
        for (const node of informer.items()) look(node);
      },
    });
    return informer;
  }

  function followPods(): Informer<Pod> {
    let known = new Map<string, Pod>();
    const informer = startInformer(api, pods, {
      onError,
      onChange(changed) {
        if (changed !== undefined) {
          const key = `${changed.namespace}/${changed.name}`;
          const before = known.get(key);
          const pod = informer.get(changed);
          if (before !== undefined && before.metadata.uid !== pod?.metadata.uid) forget(before);
          if (pod === undefined) known.delete(key);
          else {
            known.set(key, pod);
            kubelet.observe(pod);
          }
          return;
        }
        const now = new Map(informer.items().map((pod) => [`${pod.metadata.namespace}/${pod.metadata.name}`, pod]));
        const uids = new Set([...now.values()].map(({ metadata }) => metadata.uid));
        for (const pod of known.values()) if (!uids.has(pod.metadata.uid)) forget(pod);
        for (const host of served.values()) for (const uid of host.holders()) if (!uids.has(uid)) host.release(uid);
        known = now;
        for (const pod of now.values()) kubelet.observe(pod);
      },
    });
    return informer;
  }

  const forget = ({ metadata, spec }: Pod) => kubelet.forget(metadata.uid ?? '', spec.nodeName);

  function followConfig(): Informer<ConfigMap> {
    const { namespace, configMap: name } = migManager;
    const read = () => informer.get({ namespace, name })?.data?.['config.yaml'];
    const informer = startInformer(api, configMaps, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      onError,
      onChange(changed) {
        const text = read();
        if (changed === undefined && projected === undefined) projected = text;
        // A deleted ConfigMap stays in the pods that have mounted it.
        if (text === undefined || text === projected) return;
        work.sleep(delays.projectionMs).then(
          () => {
            projected = text;
          },
          () => {},
        );
      },
    });
    return informer;
  }

  async function start(): Promise<void> {
    const known = await api.list(nodeStates).catch(() => ({ items: [] }));
    for (const { metadata, spec } of known.items) earlier.set(metadata.name, spec);
    if (stopping.signal.aborted) throw new Stopped();
    for (const follow of [followConfig, followNodes, followPods]) {
      const informer = follow();
      informers.push(informer);
      await informer.synced;
    }
  }

  /** Without it the node lifecycle controller takes a node for dead after 40 s. */
  async function beat(): Promise<void> {
    while (heartbeatMs > 0) {
      const alive = [...served.values()].filter((host) => host.isUp());
      await Promise.all(alive.map(({ name }) => work.write(() => renewLease(api, name)).catch(ignoreUnlessStopped)));
      await work.sleep(heartbeatMs);
    }
  }

  const ready = start();
  ready.then(beat).catch(() => {});
  return {
    ready,
    stop() {
      stopping.abort();
      for (const informer of informers) informer.stop();
    },
  };
}

async function renewLease(api: KubernetesApi, node: string): Promise<void> {
  const lease = {
    metadata: { namespace: 'kube-node-lease', name: node },
    spec: { holderIdentity: node, leaseDurationSeconds: 40, renewTime: new Date().toISOString().replace('Z', '000Z') },
  };
  await api.apply(leases, lease, { fieldManager: 'inlay-emulate', force: true });
}

/** A heartbeat that the server refuses is followed by the next one. */
function ignoreUnlessStopped(error: unknown): void {
  if (error instanceof Stopped) throw error;
}
