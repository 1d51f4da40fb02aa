import { apiVersion } from '../../demand/documents/common.js';
import type { StateDocument, StateGpu, StateInstance } from '../../demand/documents/state.js';
import { strictestCostModel } from '../backends/backend.js';
import type { Pod } from '../client/object-types.js';
import type { WorkloadGroup } from './group-workloads.js';
import type { LocatedPod, Pods } from './locate-pods.js';
import type { ObservedGpu, ObservedNode } from './read-node.js';

/** Rate that is guaranteed to a service now, by service key. */
export type Guarantees = ReadonlyMap<string, { readonly model: string; readonly rateRps: number; readonly latencyMs: number }>;

/**
 * What runs on the GPUs of a group, as a State: pods of the group's services on instances, everything else on them reserved.
 * Where GPUs are wiped, one on which nothing runs counts as empty, however it is cut: cutting it the same way again is no work.
 */
export function buildState(group: WorkloadGroup, pods: Pods, guarantees: Guarantees): StateDocument {
  const keys = new Set([...group.workloads.flatMap(({ services }) => services.map(({ name }) => name)), ...guarantees.keys()]);
  const placed = new Map<string, LocatedPod[]>();
  for (const pod of pods.placed) {
    if (keys.has(pod.service)) placed.set(pod.gpu, [...(placed.get(pod.gpu) ?? []), pod]);
  }
  const keepsIdle = strictestCostModel(group.pools) === 'instance';
  const gpus = group.pools.flatMap(({ pool, model, nodes }) =>
    nodes.flatMap((node) =>
      node.gpus.map((gpu) =>
        writeGpu(gpu, { node, pool: pool.metadata.name, type: model?.name ?? '', own: placed.get(gpu.id) ?? [], pods, keepsIdle }),
      ),
    ),
  );
  return {
    apiVersion,
    kind: 'State',
    metadata: { name: group.name },
    services: [...guarantees].map(([name, rest]) => ({ name, ...rest })),
    gpus,
  };
}

interface GpuFacts {
  readonly node: ObservedNode;
  readonly pool: string;
  readonly type: string;
  readonly own: readonly LocatedPod[];
  readonly pods: Pods;
  /** Whether an idle GPU is shown as it is cut. */
  readonly keepsIdle: boolean;
}

function writeGpu(gpu: ObservedGpu, { node, pool, type, own, pods, keepsIdle }: GpuFacts): StateGpu {
  const common = { id: gpu.id, pool, type, node: gpu.node, index: gpu.index, ...(gpu.uuid !== undefined && { uuid: gpu.uuid }) };
  if (!node.usable) return { ...common, reserved: true, instances: [] };
  const left = own.filter(({ terminating }) => !terminating);
  // A pod that was only just sent here may have no instance in the report yet.
  const full = !gpu.migEnabled && left.some(({ profile }) => profile === 'full') ? [{ profile: 'full', start: 0 }] : [];
  const instances = (gpu.instances.length > 0 ? gpu.instances : full).map((instance: ObservedGpu['instances'][number]): StateInstance => {
    const place = { profile: instance.profile, start: instance.start };
    const holder = instance.pod;
    const at = left.findIndex(({ profile, pod, seen }) =>
      holder === undefined
        ? !seen && profile === instance.profile
        : pod.metadata.name === holder.name && pod.metadata.namespace === holder.namespace,
    );
    const [pod] = at < 0 ? [] : left.splice(at, 1);
    if (pod === undefined) {
      // A report may still name a pod that is gone, or one of ours that is going: nobody else holds the instance then.
      const isForeign = holder !== undefined && !own.some((one) => isSame(one.pod, holder)) && exists(holder, node, pods);
      return isForeign ? { ...place, service: null, reserved: true } : { ...place, service: null };
    }
    const { service, batch, processes, type: kind } = pod;
    const capacityRps = pods.capacityRps.get(kind);
    return { ...place, service, batch, processes, ...(capacityRps !== undefined && { capacityRps }) };
  });
  const isUsed = instances.some(({ service, reserved }) => service !== null || reserved === true);
  return { ...common, instances: isUsed || keepsIdle ? instances : [] };
}

interface PodName {
  readonly namespace: string;
  readonly name: string;
}

function isSame({ metadata }: Pod, { namespace, name }: PodName): boolean {
  return metadata.name === name && metadata.namespace === namespace;
}

/** Whether the cluster has a GPU pod of this name on the node. */
export function exists(holder: PodName, { name }: Pick<ObservedNode, 'name'>, pods: Pods): boolean {
  return (pods.onNode.get(name) ?? []).some((pod) => isSame(pod, holder));
}
