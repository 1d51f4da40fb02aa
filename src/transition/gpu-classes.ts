import type { Fleet, FleetGpu, FleetInstance } from './fleet.js';

/** GPUs with identical content: what is said of one holds for each. */
export interface GpuClass {
  readonly pool: number;
  readonly instances: readonly FleetInstance[];
  /** Ascending by id; GPUs of one node stay together where nodes are known. */
  readonly gpus: readonly FleetGpu[];
}

/** Whether a GPU counts as used: it has an instance that is not reserved. */
export function isUsed(gpu: Pick<FleetGpu, 'instances'>): boolean {
  return gpu.instances.some(({ reserved }) => !reserved);
}

/** Groups the GPUs that hold anything by content. The order of the classes depends on contents alone. */
export function groupGpus(fleet: Fleet): readonly GpuClass[] {
  const classes = new Map<string, { pool: number; instances: readonly FleetInstance[]; gpus: FleetGpu[] }>();
  for (const gpu of fleet.gpus) {
    if (gpu.instances.length === 0) continue;
    const key = contentKey(gpu, fleet);
    const known = classes.get(key);
    if (known === undefined) classes.set(key, { pool: gpu.pool, instances: gpu.instances, gpus: [gpu] });
    else known.gpus.push(gpu);
  }
  return [...classes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

function contentKey({ pool, instances }: FleetGpu, { types }: Fleet): string {
  const content = instances.map(({ profile, start, type, reserved }) => {
    const pod = types.list[type];
    const holder =
      pod === undefined ? (reserved ? 'reserved' : 'idle') : [pod.service, pod.service < 0 ? pod.name : '', pod.batch, pod.processes];
    return [start, profile.name, holder];
  });
  return JSON.stringify([pool, content]);
}
