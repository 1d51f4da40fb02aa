import { asksForGpu, type Backends } from '../backends/backend.js';
import type { KubernetesApi, Selection } from '../client/kubernetes-api.js';
import { hasStatus } from '../client/kubernetes-error.js';
import type { ConfigMap, KubeObject } from '../client/object-types.js';
import { configMaps, deployments, nodes, pods, type Resource } from '../client/resources.js';
import type { GpuPool } from '../objects/gpu-pool.js';
import { gpuPools, inferenceWorkloads, nodeStates, sharingPlans } from '../objects/kinds.js';
import { managedBy } from '../objects/names.js';
import { type ClusterView, emptyView } from '../observe/cluster-view.js';

const [[managerLabel, manager]] = Object.entries(managedBy) as [[string, string]];

/**
 * What a state is made from, read once, without writing. Kinds that the cluster does not have are empty; so are
 * Deployments (capacities) and the ConfigMaps of mig-manager (nodes without an agent) when the user may not read them.
 */
export async function readCluster(api: KubernetesApi, backends: Backends): Promise<ClusterView> {
  const list = async <T extends KubeObject>(
    resource: Resource<T>,
    forgiven: readonly number[],
    selection?: Selection,
  ): Promise<readonly T[]> => {
    try {
      return (await api.list(resource, selection)).items;
    } catch (error) {
      if (hasStatus(error, ...forgiven)) return [];
      throw error;
    }
  };
  const kinds = [...backends.values()].flatMap((backend) => backend.kinds);
  const [pools, workloads, plans, states, foundNodes, foundPods, own] = await Promise.all([
    list(gpuPools, [404]),
    list(inferenceWorkloads, [404]),
    list(sharingPlans, [404]),
    list(nodeStates, [404]),
    list(nodes, []),
    list(pods, []),
    list(deployments, [403], { labelSelector: `${managerLabel}=${manager}` }),
  ]);
  return {
    ...emptyView,
    pools,
    workloads,
    plans,
    nodeStates: states,
    nodes: foundNodes,
    pods: foundPods.filter((pod) => asksForGpu(pod, backends) || pod.metadata.labels?.[managerLabel] === manager),
    deployments: own,
    configMaps: await readConfigs(api, pools, backends),
    more: new Map(await Promise.all(kinds.map(async (kind) => [kind.kind, await list(kind, [403, 404])] as const))),
  };
}

async function readConfigs(api: KubernetesApi, pools: readonly GpuPool[], backends: Backends): Promise<readonly ConfigMap[]> {
  const wanted = pools.flatMap((pool) => backends.get(pool.spec.backend)?.configMapsOf(pool) ?? []);
  const names = new Map(wanted.map((where) => [`${where.namespace}/${where.name}`, where]));
  const maps = await Promise.all(
    [...names.values()].map((where) =>
      api.get(configMaps, where).catch((error: unknown) => {
        if (hasStatus(error, 403, 404)) return undefined;
        throw error;
      }),
    ),
  );
  return maps.filter((map) => map !== undefined);
}
