import type { Condition, Pod } from '../client/object-types.js';

/** Where a pod on an emulated node stands: bound and not yet looked at, starting, or how its containers are. */
export type Life = 'bound' | 'starting' | 'running' | 'unready' | 'crashed';

/** Whether the containers of a pod are ready, whatever its readiness gates say. */
export function containersReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'ContainersReady' && value === 'True') ?? false;
}

/** The status of a pod that the kubelet refuses since a device is missing. */
export function rejectedPatch(pod: Pod): object {
  return {
    phase: 'Failed',
    reason: 'UnexpectedAdmissionError',
    message: `Allocate failed due to requested number of devices unavailable, on node ${pod.spec.nodeName}`,
  };
}

/**
 * What is to change in a pod's status for its life; undefined when nothing. Ready needs the containers and every readiness
 * gate, as the real kubelet has it. `at` is the time, RFC 3339.
 */
export function lifePatch(pod: Pod, life: Life, restarts: number, podIP: string, at: string): object | undefined {
  const isRunning = life === 'running';
  const gates = (pod.spec.readinessGates ?? []).map(({ conditionType }) => conditionType);
  const has = (type: string) =>
    pod.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
  const conditions = [
    condition(pod, 'Initialized', true, at),
    condition(pod, 'ContainersReady', isRunning, at, 'ContainersNotReady'),
    condition(pod, 'Ready', isRunning && gates.every(has), at, isRunning ? 'ReadinessGatesNotReady' : 'ContainersNotReady'),
  ];
  const isSame =
    pod.status?.phase === 'Running' &&
    conditions.every(({ type, status }) => pod.status?.conditions?.some((known) => known.type === type && known.status === status)) &&
    pod.status.containerStatuses?.every((known) => known.restartCount === restarts) === true;
  if (isSame) return undefined;
  return {
    phase: 'Running',
    conditions,
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: pod.status?.startTime ?? at,
    containerStatuses: pod.spec.containers.map(({ name, image = '' }) => ({
      name,
      image,
      imageID: '',
      restartCount: restarts,
      ready: isRunning,
      started: life !== 'crashed',
      state: life === 'crashed' ? { waiting: { reason: 'CrashLoopBackOff', message: 'emulated' } } : { running: { startedAt: at } },
    })),
  };
}

function condition(pod: Pod, type: string, isTrue: boolean, at: string, reason?: string): Condition {
  const status = isTrue ? 'True' : 'False';
  const known = pod.status?.conditions?.find((candidate) => candidate.type === type);
  const lastTransitionTime = known?.status === status ? (known.lastTransitionTime ?? at) : at;
  return { type, status, lastTransitionTime, ...(isTrue || reason === undefined ? {} : { reason }) };
}
