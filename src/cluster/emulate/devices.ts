import type { Pod } from '../client/object-types.js';
import { nvidia, resourceOfProfile } from '../objects/names.js';
import { driverName, type Hardware } from './hardware.js';

/** One thing that the device plugin hands out: a MIG instance or a whole GPU. */
export interface Device {
  readonly uuid: string;
  /** Index of the GPU it is on. */
  readonly gpu: number;
  /** Extended resource by which pods ask for it. */
  readonly resource: string;
}

/** A pod and the devices it was given, by container. */
export interface Holding {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly devices: readonly { readonly uuid: string; readonly container: string }[];
}

/**
 * The devices of a node under its strategy. `single` offers nothing unless all GPUs are cut and hold one profile, as
 * the device plugin refuses to start then.
 */
export function listDevices(hardware: Hardware): Device[] {
  const { strategy, gpus } = hardware;
  const whole = (uuid: string, gpu: number): Device => ({ uuid, gpu, resource: nvidia.gpuResource });
  if (strategy === 'none') return gpus.map(({ uuid }, gpu) => whole(uuid, gpu));
  if (strategy === 'single' && gpus.some(({ migEnabled }) => migEnabled)) {
    if (isInvalidSingle(hardware)) return [];
    return gpus.flatMap(({ instances }, gpu) => instances.map(({ uuid }) => whole(uuid, gpu)));
  }
  return gpus.flatMap(({ uuid, migEnabled, instances }, gpu) =>
    migEnabled
      ? instances.map((instance) => ({ uuid: instance.uuid, gpu, resource: resourceOfProfile(driverName(hardware, instance.profile)) }))
      : [whole(uuid, gpu)],
  );
}

/** With strategy `single`: GPUs with MIG on and off, an empty GPU, or several profiles. */
export function isInvalidSingle({ strategy, gpus }: Hardware): boolean {
  if (strategy !== 'single' || gpus.every(({ migEnabled }) => !migEnabled)) return false;
  const profiles = new Set(gpus.flatMap(({ instances }) => instances.map(({ profile }) => profile)));
  return profiles.size !== 1 || gpus.some(({ migEnabled, instances }) => !migEnabled || instances.length === 0);
}

/** Devices by resource. */
export function countDevices(devices: readonly Device[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { resource } of devices) counts[resource] = (counts[resource] ?? 0) + 1;
  return counts;
}

/**
 * Free devices for each container of a pod, or undefined when there are not enough: the kubelet then fails the pod. Those on
 * the GPU with the most free ones of the resource come first, which is how the device plugin spreads.
 */
export function assignDevices(pod: Pod, devices: readonly Device[], holdings: Iterable<Holding>): Holding | undefined {
  const taken = new Set<string>();
  for (const holding of holdings) for (const { uuid } of holding.devices) taken.add(uuid);
  const given: { uuid: string; container: string }[] = [];
  for (const { name: container, resources } of pod.spec.containers) {
    for (const [resource, amount] of Object.entries(resources?.limits ?? resources?.requests ?? {})) {
      if (!resource.startsWith('nvidia.com/')) continue;
      for (let count = 0; count < Number(amount); count += 1) {
        const device = chooseSpread(devices.filter((candidate) => candidate.resource === resource && !taken.has(candidate.uuid)));
        if (device === undefined) return undefined;
        taken.add(device.uuid);
        given.push({ uuid: device.uuid, container });
      }
    }
  }
  return { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name, uid: pod.metadata.uid ?? '', devices: given };
}

function chooseSpread(free: readonly Device[]): Device | undefined {
  const freeOn = new Map<number, number>();
  for (const { gpu } of free) freeOn.set(gpu, (freeOn.get(gpu) ?? 0) + 1);
  return free.reduce<Device | undefined>(
    (best, device) => (best === undefined || (freeOn.get(device.gpu) ?? 0) > (freeOn.get(best.gpu) ?? 0) ? device : best),
    undefined,
  );
}
