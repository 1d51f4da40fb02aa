import type { Node, ResourceList } from '../client/object-types.js';
import { nvidia } from '../objects/names.js';
import type { NodeStateSpec } from '../objects/node-state.js';
import { countDevices, type Device, type Holding, isInvalidSingle, listDevices } from './devices.js';
import { driverName, type Hardware, modelOf, type NewHardware, newHardware } from './hardware.js';

/** On every emulated node; the emulator serves the nodes that have it and touches no other. */
export const emulatedLabel = 'emulate.inlay.dev/node';
/** Of an emulated node: its Hardware as JSON. It survives the emulator. */
export const hardwareAnnotation = 'emulate.inlay.dev/hardware';

const driver = '580.95.05';
const pausedValue = 'paused-for-mig-change';
const operands = ['device-plugin', 'gpu-feature-discovery', 'dcgm-exporter', 'dcgm'] as const;

export interface EmulatedNodeSpec extends NewHardware {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: NonNullable<Node['spec']>['taints'];
}

/** A node as it joins: labels of the GPU Operator, MIG off, nothing allocatable yet. */
export function makeNode({ name, labels = {}, taints, ...hardware }: EmulatedNodeSpec): Node {
  return {
    metadata: {
      name,
      labels: {
        [emulatedLabel]: 'true',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        ...labels,
      },
      annotations: { [hardwareAnnotation]: JSON.stringify(newHardware(name, hardware)) },
    },
    spec: { ...(taints === undefined ? {} : { taints }) },
  };
}

/** The hardware that a node's annotation holds; undefined when it holds none that can be read. */
export function readHardware(node: Node): Hardware | undefined {
  try {
    const hardware = JSON.parse(node.metadata.annotations?.[hardwareAnnotation] ?? '') as Hardware;
    modelOf(hardware);
    return hardware;
  } catch {
    return undefined;
  }
}

/** Labels that GPU feature discovery and mig-manager write; null for one that must be gone. */
export function labelsOf(
  hardware: Hardware,
  { state, paused }: { readonly state: string | undefined; readonly paused: boolean },
  present: Readonly<Record<string, string>> = {},
): Record<string, string | null> {
  const model = modelOf(hardware);
  const product = (model.products[0] ?? model.name).replaceAll(' ', '-');
  const isInvalid = isInvalidSingle(hardware);
  const wanted: Record<string, string | null> = {
    [nvidia.product]: isInvalid ? `${product}-MIG-INVALID` : singleProduct(hardware, product),
    [nvidia.count]: String(isInvalid ? 0 : hardware.gpus.length),
    [nvidia.migCapable]: String(model.profiles.length > 0),
    [nvidia.migStrategy]: hardware.strategy,
  };
  if (state !== undefined) wanted[nvidia.migState] = state;
  for (const operand of operands) wanted[`nvidia.com/gpu.deploy.${operand}`] = paused ? pausedValue : 'true';
  // Feature discovery is a node component as well: while it is paused its labels stay as they were.
  if (paused) return wanted;
  for (const name of Object.keys(present)) if (name.startsWith(nvidia.migResource) && name.endsWith('.count')) wanted[name] = null;
  for (const [resource, count] of Object.entries(countDevices(listDevices(hardware)))) {
    if (resource.startsWith(nvidia.migResource)) wanted[`${resource}.count`] = String(count);
  }
  return wanted;
}

function singleProduct(hardware: Hardware, product: string): string {
  const profile = hardware.gpus[0]?.instances[0]?.profile;
  return hardware.strategy === 'single' && profile !== undefined ? `${product}-MIG-${driverName(hardware, profile)}` : product;
}

/** What the kubelet says it can give, in the canonical form of the API server: resources that were offered once stay, with 0. */
export function allocatableOf(devices: readonly Device[], present: ResourceList = {}): ResourceList {
  const amounts: Record<string, string> = { cpu: '128', memory: '1Ti', pods: '250', 'ephemeral-storage': '1Ti' };
  for (const name of Object.keys(present)) if (name.startsWith('nvidia.com/')) amounts[name] = '0';
  for (const [resource, count] of Object.entries(countDevices(devices))) amounts[resource] = String(count);
  return amounts;
}

/** The report of the node's agent: how each GPU is cut and which pod holds what. */
export function reportOf(hardware: Hardware, holdings: Iterable<Holding>): NodeStateSpec {
  const model = modelOf(hardware);
  const holders = new Map<string, { namespace: string; name: string; uid: string; container: string }>();
  for (const { namespace, name, uid, devices } of holdings) {
    for (const device of devices) holders.set(device.uuid, { namespace, name, uid, container: device.container });
  }
  const holder = (uuid: string) => {
    const pod = holders.get(uuid);
    return pod === undefined ? {} : { pod };
  };
  return {
    driver,
    gpus: hardware.gpus.map(({ uuid, migEnabled, instances }, index) => ({
      index,
      uuid,
      product: model.products[0] ?? model.name,
      migEnabled,
      ...(migEnabled ? {} : holder(uuid)),
      instances: instances.map((instance) => ({
        profile: driverName(hardware, instance.profile),
        start: instance.start,
        uuid: instance.uuid,
        ...holder(instance.uuid),
      })),
    })),
  };
}

/** The holdings that a report tells of, the opposite of `reportOf`. Holders without uid are left out. */
export function holdingsOf(report: NodeStateSpec): Holding[] {
  const holdings = new Map<string, Holding & { readonly devices: { uuid: string; container: string }[] }>();
  const held = report.gpus.flatMap((gpu) => [gpu, ...gpu.instances]);
  for (const { uuid, pod } of held) {
    if (pod?.uid === undefined) continue;
    const holding = holdings.get(pod.uid) ?? { namespace: pod.namespace, name: pod.name, uid: pod.uid, devices: [] };
    holdings.set(pod.uid, holding);
    holding.devices.push({ uuid, container: pod.container ?? '' });
  }
  return [...holdings.values()];
}
