import type { NodeStateSpec } from '../objects/node-state.js';
import type { ContainerDevices } from './pod-resources.js';
import type { DriverReport } from './read-nvidia-smi.js';

/**
 * What the agent publishes: the GPUs of the driver with the pods that the kubelet gave them to. A device that is shared by
 * several pods (time slicing) shows the first of them by name.
 */
export function describeNode(report: DriverReport, held: readonly ContainerDevices[]): NodeStateSpec {
  const holders = new Map<string, { namespace: string; name: string; container: string }>();
  const sorted = [...held].sort((one, other) => compare(`${one.namespace}/${one.pod}`, `${other.namespace}/${other.pod}`));
  for (const { namespace, pod, container, resource, devices } of sorted) {
    if (!resource.startsWith('nvidia.com/')) continue;
    // Replicas of a shared device are numbered behind the uuid: GPU-…::3.
    for (const uuid of devices.map((device) => device.replace(/::\d+$/, ''))) {
      if (!holders.has(uuid)) holders.set(uuid, { namespace, name: pod, container });
    }
  }
  const holderOf = (uuids: readonly string[]) => {
    const pod = uuids.map((uuid) => holders.get(uuid)).find((holder) => holder !== undefined);
    return pod === undefined ? {} : { pod };
  };
  return {
    driver: report.driver,
    gpus: report.gpus.map(({ index, uuid, product, migEnabled, instances }) => ({
      index,
      uuid,
      product,
      migEnabled,
      ...holderOf([uuid]),
      instances: instances.map(({ profile, start, uuids }) => ({
        profile,
        start,
        // An instance that no compute instance was made in has no uuid of its own.
        uuid: uuids[0] ?? `${uuid}/${profile}@${start}`,
        ...holderOf(uuids),
      })),
    })),
  };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
