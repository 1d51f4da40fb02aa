import { createHash } from 'node:crypto';

/** Labels, annotations and names by which the operator finds what it made. */

/** API group of all own objects, and the owner of server-side applied fields. */
export const group = 'inlay.dev';
export const version = 'v1alpha1';
export const groupVersion = `${group}/${version}`;
export const fieldManager = 'inlay-operator';

/** What an own object may be called, and the sentence for one that is called something else. */
export interface NameRule {
  readonly pattern: RegExp;
  readonly longest: number;
  readonly message: string;
}

/** Of an InferenceWorkload: names of Services begin with it (RFC 1035) and it is the value of a label. */
export const workloadName: NameRule = {
  pattern: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
  longest: 63,
  message:
    'Services are named after an InferenceWorkload: its name has lower-case letters, digits and dashes, a letter first, and at most 63 characters',
};

/** Of a GpuPool: plans are named after it and it is the value of a label. */
export const poolName: NameRule = {
  pattern: /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/,
  longest: 63,
  message: 'the name of a GpuPool becomes the value of a label: it has at most 63 characters',
};

/** On every object that the operator makes. */
export const managedBy = { 'app.kubernetes.io/managed-by': 'inlay' } as const;

export const labels = {
  /** Name of the InferenceWorkload, in the namespace of the labelled object. */
  workload: 'inlay.dev/workload',
  /** Name of the service within its workload. */
  service: 'inlay.dev/service',
  /** GPU model of the slice, as `modelLabel` writes it: one profile name means other slices on other models. */
  gpuModel: 'inlay.dev/gpu-model',
  /** Profile as in a resource name: `1g.10gb`, `1g.10gb.me`, `full`. */
  profile: 'inlay.dev/profile',
  batch: 'inlay.dev/batch',
  processes: 'inlay.dev/processes',
  /** Of a SharingPlan: the group of workloads it is for. */
  group: 'inlay.dev/group',
} as const;

export const annotations = {
  /** Of a pod that was given a slot: id of the GPU (`node/index`) and first memory slice. */
  gpu: 'inlay.dev/gpu',
  start: 'inlay.dev/start',
  /** Of a Deployment: requests per second of one of its pods. */
  capacityRps: 'inlay.dev/capacity-rps',
  /** Of an object that is applied: hash of what was applied, so that an edit is seen. */
  content: 'inlay.dev/content',
  /** Of a node: who cordoned it; only an own cordon is lifted. */
  cordonedBy: 'inlay.dev/cordoned-by',
  /** Of a node: the config names tried, as `attempt@time`. */
  attempt: 'inlay.dev/attempt',
  /** Of a node: the config that it had before the change under way. */
  formerConfig: 'inlay.dev/former-config',
  /** Of a node: hash of a layout that failed for good; removing it allows another try. */
  failedConfig: 'inlay.dev/failed-config',
  /** Of the ConfigMap of mig-manager, followed by a hash: when that config was written. */
  writtenAt: 'inlay.dev/written-at.',
} as const;

/** Scheduling gate that keeps a pod waiting until it is given a slot. */
export const slotGate = 'inlay.dev/slot';
/** Readiness gate that the operator opens while the pod is part of the plan. */
export const inPlanGate = 'inlay.dev/in-plan';
/** Who has cordoned a node, as the value of the annotation. */
export const cordonOwner = 'inlay-operator';

/** Labels of NVIDIA's node components. */
export const nvidia = {
  product: 'nvidia.com/gpu.product',
  count: 'nvidia.com/gpu.count',
  migCapable: 'nvidia.com/mig.capable',
  migStrategy: 'nvidia.com/mig.strategy',
  migConfig: 'nvidia.com/mig.config',
  migState: 'nvidia.com/mig.config.state',
  gpuResource: 'nvidia.com/gpu',
  migResource: 'nvidia.com/mig-',
} as const;

/** The resource by which a pod asks for one instance of a profile; `full` is a whole GPU. */
export function resourceOfProfile(profile: string): string {
  return profile === 'full' ? nvidia.gpuResource : `${nvidia.migResource}${profile.replaceAll('+', '.')}`;
}

/**
 * The name of a GPU model as the value of a label: the name itself where it may be one (63 letters, digits, dashes, dots and
 * underscores at most), else what is left of it and a hash. Of a value that it wrote itself it is the same again.
 */
export function modelLabel(name: string): string {
  if (/^[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$/.test(name)) return name;
  const plain = name.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 40);
  return `${plain.replace(/^-/, '')}-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`.replace(/^-+/, '');
}
