/** What can be made to go wrong with an emulated node. */
export const nodeFaults = {
  'mig-fail': 'mig-manager fails before it changes anything',
  'mig-fail-midway': 'mig-manager fails when half of the GPUs to change are changed',
  'mig-stuck': 'mig-manager stays at pending for ever, the node components stay paused',
  'mig-empty': 'mig-manager reports success and has made no instance',
  'mig-slow': 'mig-manager takes twenty times as long',
  'mig-reboot': 'mig-manager reboots the node before it cuts the GPUs',
  'plugin-slow': 'the device plugin takes twenty times as long to come back',
  'agent-missing': 'no agent reports the state of the node',
  'agent-stale': 'the agent reports nothing new',
  'agent-lies': 'the agent reports the first GPU as not cut',
  'not-ready': 'the node is not ready and its kubelet does nothing',
} as const;

/** What can be made to go wrong with a pod on an emulated node. */
export const podFaults = {
  'never-ready': 'the container runs and never becomes ready',
  'crash-loop': 'the container ends soon after each start',
  'slow-start': 'the container takes twenty times as long to become ready',
  'stuck-terminating': 'the pod never ends once it is deleted',
} as const;

export type NodeFault = keyof typeof nodeFaults;
export type PodFault = keyof typeof podFaults;

/** The annotation of a node or pod that names its faults: `mig-fail:2,agent-stale`; with a number a fault ends after so many times. */
export const faultAnnotation = 'emulate.inlay.dev/fault';

/** The faults that an annotation names, with how often each is still to happen. Unknown names are left out. */
export function readFaults(annotations: Readonly<Record<string, string>> | undefined): Map<NodeFault | PodFault, number> {
  const faults = new Map<NodeFault | PodFault, number>();
  for (const part of (annotations?.[faultAnnotation] ?? '').split(',')) {
    const [name = '', times] = part.trim().split(':');
    const count = times === undefined ? Number.POSITIVE_INFINITY : Number(times);
    if ((Object.hasOwn(nodeFaults, name) || Object.hasOwn(podFaults, name)) && count > 0) faults.set(name as NodeFault | PodFault, count);
  }
  return faults;
}

/** The annotation after a fault happened once more; null removes it. */
export function useFault(annotations: Readonly<Record<string, string>> | undefined, used: NodeFault | PodFault): string | null {
  const left = [...readFaults(annotations)].flatMap(([name, count]) => {
    const rest = name === used ? count - 1 : count;
    if (rest <= 0) return [];
    return [Number.isFinite(rest) ? `${name}:${rest}` : name];
  });
  return left.length === 0 ? null : left.join(',');
}
