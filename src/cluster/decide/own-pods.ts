import type { Pod } from '../client/object-types.js';
import { annotations, labels, managedBy, modelLabel, slotGate } from '../objects/names.js';

/** What a pod runs and on which kind of slice: pods of one type are interchangeable. */
export interface PodType {
  /** `namespace.workload.service`. */
  readonly service: string;
  /** GPU model, by name or as the value of a label. A profile says nothing without it. */
  readonly gpuModel: string;
  readonly profile: string;
  readonly batch: number;
  readonly processes: number;
}

/** A pod of a workload. */
export interface OwnPod extends PodType {
  readonly pod: Pod;
  readonly type: string;
  /** Node that it was given to; absent while it waits for a slot. */
  readonly node?: string;
  /** Slot that it was given: GPU and start. */
  readonly gpu?: string;
  readonly start?: number;
  readonly ready: boolean;
  readonly terminating: boolean;
  /** Will never run again. */
  readonly ended: boolean;
}

export const serviceKey = (namespace: string, workload: string, service: string): string => `${namespace}.${workload}.${service}`;

export const typeKey = ({ service, gpuModel, profile, batch, processes }: PodType): string =>
  `${service} ${modelLabel(gpuModel)} ${profile} b${batch} p${processes}`;

/** Reads a pod that the operator made; undefined for any other. Labels of pods spell a profile with dots for `+`. */
export function readOwnPod(pod: Pod): OwnPod | undefined {
  const { namespace = '', labels: own = {}, annotations: notes = {}, deletionTimestamp } = pod.metadata;
  const [workload, service, gpuModel, profile] = [labels.workload, labels.service, labels.gpuModel, labels.profile].map((key) => own[key]);
  const [batch, processes] = [Number(own[labels.batch]), Number(own[labels.processes])];
  const isOwn = own['app.kubernetes.io/managed-by'] === managedBy['app.kubernetes.io/managed-by'];
  if (!isOwn || workload === undefined || service === undefined || gpuModel === undefined || profile === undefined) return undefined;
  if (!(batch >= 1) || !(processes >= 1)) return undefined;
  const kind = { service: serviceKey(namespace, workload, service), gpuModel, profile: profile.replace(/(gb)\./, '$1+'), batch, processes };
  const gated = pod.spec.schedulingGates?.some(({ name }) => name === slotGate) === true;
  const gpu = notes[annotations.gpu];
  const node = pod.spec.nodeName ?? gpu?.slice(0, gpu.lastIndexOf('/'));
  const start = Number(notes[annotations.start]);
  return {
    ...kind,
    pod,
    type: typeKey(kind),
    ...(!gated && node !== undefined && { node }),
    ...(!gated && gpu !== undefined && { gpu }),
    ...(!gated && Number.isInteger(start) && { start }),
    ready: pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true,
    terminating: deletionTimestamp !== undefined,
    ended: pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded',
  };
}
