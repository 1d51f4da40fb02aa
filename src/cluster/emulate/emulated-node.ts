import type { KubernetesApi } from '../client/kubernetes-api.js';
import { isConflict, isNotFound } from '../client/kubernetes-error.js';
import type { Node, Pod } from '../client/object-types.js';
import { nodes } from '../client/resources.js';
import { nodeStates } from '../objects/kinds.js';
import { groupVersion, nvidia } from '../objects/names.js';
import type { NodeStateSpec } from '../objects/node-state.js';
import type { EmulatorDelays } from './delays.js';
import { assignDevices, type Device, type Holding, listDevices } from './devices.js';
import { faultAnnotation, type NodeFault, readFaults, useFault } from './faults.js';
import type { Hardware } from './hardware.js';
import { type MigState, runMigManager } from './mig-manager.js';
import { allocatableOf, hardwareAnnotation, holdingsOf, labelsOf, readHardware, reportOf } from './node-objects.js';
import { newerOf, Stopped, type Work } from './work.js';

/** What an emulated node needs of its surroundings. */
export interface NodeSurroundings {
  readonly api: KubernetesApi;
  readonly delays: EmulatorDelays;
  readonly work: Work;
  /** What the node's agent reported before the emulator was started: pods keep their devices. */
  readonly earlierReport: NodeStateSpec | undefined;
  /** The mig-parted file as it has reached the nodes by now. */
  configFile(): string | undefined;
  log(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** A GPU node without a GPU: device plugin, feature discovery, mig-manager and agent of one node. */
export interface EmulatedNode {
  readonly name: string;
  /** False while the node is down: its kubelet does nothing. */
  isUp(): boolean;
  /** Takes note of the node as it is stored now. */
  observe(node: Node): void;
  /** Gives a pod its devices; undefined when there are not enough. A pod that has some keeps them. */
  admit(pod: Pod): Holding | undefined;
  /** Whether all devices that a pod was given still exist. */
  stillHolds(uid: string): boolean;
  /** The pod holds nothing any more. */
  release(uid: string): void;
  /** Uids of the pods that hold something. */
  holders(): string[];
  /** The node is gone: nothing is written any more, and what was reported is taken back. */
  end(): Promise<void>;
}

/**
 * Serves one node. Everything that it writes follows from the hardware, the pods' holdings and the state of mig-manager, and
 * is written again when someone changes it. `onUp` is called when the node came back, with whether its containers were ended.
 */
export function serveNode(first: Node, surroundings: NodeSurroundings, onUp: (rebooted: boolean) => void): EmulatedNode {
  const { api, delays, work, configFile, log, earlierReport } = surroundings;
  const { name } = first.metadata;
  let observed = first;
  let hardware = readHardware(first) as Hardware;
  let state = first.metadata.labels?.[nvidia.migState];
  let isPaused = false;
  let isDown = false;
  let isEnded = false;
  let isWaiting = false;
  let reported: string | undefined;
  let publishing: Promise<void> | undefined;
  let isDirty = true;
  let asked: string | undefined;
  let isManaging = false;
  const holdings = new Map(earlierReport === undefined ? [] : holdingsOf(earlierReport).map((holding) => [holding.uid, holding]));

  const note = (node: Node) => {
    observed = newerOf(observed, node);
  };
  const faults = () => readFaults(observed.metadata.annotations);
  const isUp = () => !isDown && !faults().has('not-ready');
  const devices = (): readonly Device[] => (isPaused ? [] : listDevices(hardware));

  /** Runs until nothing differs from what is stored. Nodes that are gone are left alone. */
  function publish(): Promise<void> {
    isDirty = true;
    publishing ??= (async () => {
      while (isDirty && !isEnded) {
        isDirty = false;
        await publishOnce();
      }
    })().finally(() => {
      publishing = undefined;
    });
    return publishing;
  }

  /** Publishes what changes on the node all at once, as an agent does that looks now and then. */
  function publishSoon(): void {
    if (isWaiting) return;
    isWaiting = true;
    work.sleep(delays.reportMs).then(
      () => {
        isWaiting = false;
        void publish();
      },
      () => {},
    );
  }

  async function publishOnce(): Promise<void> {
    try {
      const meta = metadataPatch(observed, hardware, state, isPaused);
      if (meta !== undefined) note(await work.write(() => api.patch(nodes, { name }, { metadata: meta })));
      const status = statusPatch(observed, devices(), isUp(), name);
      if (status !== undefined) note(await work.write(() => api.patch(nodes, { name }, { status }, { subresource: 'status' })));
      const taints = taintPatch(observed, isUp());
      if (taints !== undefined) note(await work.write(() => api.patch(nodes, { name }, taints)));
      await report();
    } catch (error) {
      if (error instanceof Stopped || isNotFound(error) || isConflict(error)) return;
      log('cannot write the node', { node: name, error: String(error) });
    }
  }

  async function report(): Promise<void> {
    const kinds = faults();
    if (kinds.has('agent-stale') || !isUp()) return;
    if (kinds.has('agent-missing')) {
      if (reported !== 'none') await work.write(() => api.remove(nodeStates, { name })).catch(ignoreMissing);
      reported = 'none';
      return;
    }
    const spec = kinds.has('agent-lies') ? lie(reportOf(hardware, holdings.values())) : reportOf(hardware, holdings.values());
    const text = JSON.stringify(spec);
    if (text === reported) return;
    const owner = { apiVersion: 'v1', kind: 'Node', name, uid: observed.metadata.uid ?? '' };
    const object = {
      apiVersion: groupVersion,
      kind: 'NodeState',
      metadata: { name, ownerReferences: [owner] },
      spec: { observedAt: new Date().toISOString(), ...spec },
    };
    await work.write(() => api.apply(nodeStates, object, { fieldManager: 'inlay-agent', force: true }));
    reported = text;
  }

  /** One run at a time; the newest wish is taken when a run ends, as mig-manager does. */
  async function manage(): Promise<void> {
    if (isManaging) return;
    isManaging = true;
    try {
      for (let wish = observed.metadata.labels?.[nvidia.migConfig]; wish !== undefined && wish !== asked; ) {
        asked = wish;
        log('mig-manager starts', { node: name, config: wish });
        await runMigManager(migManagerNode(), wish);
        log('mig-manager ends', { node: name, config: wish, state });
        wish = observed.metadata.labels?.[nvidia.migConfig];
      }
    } catch (error) {
      if (!(error instanceof Stopped)) log('mig-manager broke', { node: name, error: String(error) });
    } finally {
      isManaging = false;
    }
  }

  const migManagerNode = () => ({
    name,
    delays,
    configFile,
    sleep: (ms: number) => work.sleep(ms),
    hardware: () => hardware,
    setHardware(changed: Hardware) {
      hardware = changed;
      publishSoon();
    },
    isBusy: (gpu: number) => {
      const own = new Set([hardware.gpus[gpu]?.uuid, ...(hardware.gpus[gpu]?.instances ?? []).map(({ uuid }) => uuid)]);
      return [...holdings.values()].some((holding) => holding.devices.some(({ uuid }) => own.has(uuid)));
    },
    setState(next: MigState) {
      state = next;
      return publish();
    },
    async setOperands(running: boolean) {
      isPaused = !running;
      const wasDown = isDown;
      isDown = isDown && !running;
      await publish();
      if (wasDown && !isDown) onUp(true);
    },
    async reboot() {
      isDown = true;
      holdings.clear();
      await publish();
      await work.sleep(delays.rebootMs);
    },
    async takeFault(fault: NodeFault) {
      if (!faults().has(fault)) return false;
      const annotations = { [faultAnnotation]: useFault(observed.metadata.annotations, fault) };
      note(await work.write(() => api.patch(nodes, { name }, { metadata: { annotations } })));
      return true;
    },
  });

  return {
    name,
    isUp,
    observe(node) {
      // An event can be older than the answer to an own write; taking its label for a new wish would undo a change.
      if (Number(node.metadata.resourceVersion) < Number(observed.metadata.resourceVersion)) return;
      const wasUp = isUp();
      observed = node;
      // Who asks for a config may take the state of the last one away: mig-manager says nothing until it begins.
      const { [nvidia.migConfig]: wish, [nvidia.migState]: shown } = node.metadata.labels ?? {};
      if (shown === undefined && wish !== asked && !isManaging) state = undefined;
      void publish();
      void manage();
      if (!wasUp && isUp()) onUp(false);
    },
    admit(pod) {
      const uid = pod.metadata.uid ?? '';
      const known = holdings.get(uid);
      if (known !== undefined) return known;
      const holding = assignDevices(pod, devices(), holdings.values());
      if (holding === undefined) return undefined;
      holdings.set(uid, holding);
      if (holding.devices.length > 0) publishSoon();
      return holding;
    },
    stillHolds(uid) {
      const existing = new Set(listDevices(hardware).map((device) => device.uuid));
      return (holdings.get(uid)?.devices ?? []).every((device) => existing.has(device.uuid));
    },
    release(uid) {
      if (holdings.delete(uid)) publishSoon();
    },
    holders: () => [...holdings.keys()],
    async end() {
      isEnded = true;
      await publishing;
      await work.write(() => api.remove(nodeStates, { name })).catch(ignoreMissing);
    },
  };
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/** The first GPU shown as if nothing had ever cut it. */
function lie(spec: NodeStateSpec): NodeStateSpec {
  return { ...spec, gpus: spec.gpus.map((gpu, index) => (index === 0 ? { ...gpu, migEnabled: false, instances: [] } : gpu)) };
}

function metadataPatch(node: Node, hardware: Hardware, state: string | undefined, paused: boolean): object | undefined {
  const { labels: present = {}, annotations = {} } = node.metadata;
  const wanted = labelsOf(hardware, { state, paused }, present);
  const labels = Object.fromEntries(Object.entries(wanted).filter(([key, value]) => (present[key] ?? null) !== value));
  const text = JSON.stringify(hardware);
  if (Object.keys(labels).length === 0 && annotations[hardwareAnnotation] === text) return undefined;
  return { labels, annotations: { [hardwareAnnotation]: text } };
}

/**
 * Admission taints each new node as not ready. Where the node lifecycle controller runs it takes the taint away, elsewhere
 * nobody does. The version makes sure that no one else's taint is lost.
 */
function taintPatch({ metadata, spec }: Node, isUp: boolean): object | undefined {
  const left = spec?.taints?.filter(({ key, effect }) => key !== 'node.kubernetes.io/not-ready' || effect !== 'NoSchedule');
  if (!isUp || left === undefined || left.length === spec?.taints?.length) return undefined;
  return { metadata: { resourceVersion: metadata.resourceVersion }, spec: { taints: left } };
}

function statusPatch(node: Node, devices: readonly Device[], isUp: boolean, address: string): object | undefined {
  const allocatable = allocatableOf(devices, node.status?.allocatable);
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  const status = isUp ? 'True' : 'Unknown';
  const present = node.status?.allocatable ?? {};
  const isSame = Object.entries(allocatable).every(([resource, amount]) => present[resource] === amount);
  if (isSame && ready?.status === status) return undefined;
  const now = new Date().toISOString();
  const condition = {
    type: 'Ready',
    status,
    reason: isUp ? 'KubeletReady' : 'NodeStatusUnknown',
    message: isUp ? 'emulated kubelet' : 'the emulated kubelet is down',
    lastHeartbeatTime: now,
    lastTransitionTime: ready?.status === status ? (ready.lastTransitionTime ?? now) : now,
  };
  return {
    allocatable,
    capacity: allocatable,
    conditions: [condition],
    addresses: [{ type: 'Hostname', address }],
    nodeInfo: {
      kubeletVersion: 'v1.36.0-emulated',
      osImage: 'emulated',
      operatingSystem: 'linux',
      architecture: 'amd64',
      containerRuntimeVersion: 'emulated://1',
      kernelVersion: '6.1',
      kubeProxyVersion: '',
      bootID: address,
      machineID: address,
      systemUUID: address,
    },
  };
}
