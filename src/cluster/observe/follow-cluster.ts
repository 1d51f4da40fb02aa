import { asksForGpu, type Backends } from '../backends/backend.js';
import { type Informer, startInformer } from '../client/informer.js';
import type { KubernetesApi } from '../client/kubernetes-api.js';
import type { HttpRoute, KubeObject, Pod } from '../client/object-types.js';
import {
  configMaps,
  customResourceDefinitions,
  deployments,
  httpRoutes,
  nodes,
  type ObjectName,
  podDisruptionBudgets,
  pods,
  type Resource,
  services,
} from '../client/resources.js';
import { routeKindName, servesRoutes } from '../decide/serve-routes.js';
import { gpuPools, inferenceWorkloads, nodeStates, planApprovals, sharingPlans } from '../objects/kinds.js';
import { managedBy } from '../objects/names.js';
import type { ClusterView } from './cluster-view.js';

/** A copy of everything that decisions are made from, which follows the cluster. */
export interface FollowedCluster {
  /** Resolves when the copy is complete. */
  readonly synced: Promise<void>;
  view(): ClusterView;
  /** The copy's version of an object; undefined when it has none. */
  find(resource: Resource, where: ObjectName): KubeObject | undefined;
  stop(): void;
}

export interface FollowOptions {
  readonly backends: Backends;
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

const ownSelector = Object.entries(managedBy)
  .map(([key, value]) => `${key}=${value}`)
  .join(',');

/** Starts to follow a cluster: all nodes and pods, own objects by their label, ConfigMaps for tables and configurations. */
export function followCluster(api: KubernetesApi, { backends, onChange, onError }: FollowOptions): FollowedCluster {
  const informers = new Map<string, Informer<KubeObject>>();
  const follow = <T extends KubeObject>(
    resource: Resource<T>,
    more: { labelSelector?: string; fieldSelector?: string; keep?: (object: T) => T; onChange?: () => void } = {},
  ): Informer<T> => {
    const informer = startInformer(api, resource, { onChange, onError, ...more });
    informers.set(resource.kind, informer as unknown as Informer<KubeObject>);
    return informer;
  };
  const isOfInterest = (pod: Pod): boolean => isOwn(pod) || asksForGpu(pod, backends);
  const followed = {
    pools: follow(gpuPools),
    workloads: follow(inferenceWorkloads),
    plans: follow(sharingPlans),
    approvals: follow(planApprovals),
    nodeStates: follow(nodeStates),
    nodes: follow(nodes),
    pods: follow(pods, { keep: (pod) => (isOfInterest(pod) ? pod : keepName(pod)) }),
    deployments: follow(deployments, { labelSelector: ownSelector }),
    services: follow(services, { labelSelector: ownSelector }),
    budgets: follow(podDisruptionBudgets),
    configMaps: follow(configMaps),
    routeKinds: follow(customResourceDefinitions, {
      fieldSelector: `metadata.name=${routeKindName}`,
      onChange() {
        followRoutes();
        onChange();
      },
    }),
  };
  const more = new Map([...backends.values()].flatMap(({ kinds }) => kinds).map((kind) => [kind.kind, follow(kind)]));
  let routes: Informer<HttpRoute> | undefined;
  /** The Gateway API may come and go while the operator runs. */
  function followRoutes(): void {
    const exists = followed.routeKinds.items().some(servesRoutes);
    if (exists && routes === undefined) routes = follow(httpRoutes, { labelSelector: ownSelector });
    if (exists || routes === undefined) return;
    routes.stop();
    informers.delete(httpRoutes.kind);
    routes = undefined;
  }
  return {
    synced: Promise.all([...informers.values()].map((informer) => informer.synced)).then(() => {}),
    view: () => ({
      pools: followed.pools.items(),
      workloads: followed.workloads.items(),
      plans: followed.plans.items(),
      approvals: followed.approvals.items(),
      nodeStates: followed.nodeStates.items(),
      nodes: followed.nodes.items(),
      pods: followed.pods.items().filter(isOfInterest),
      deployments: followed.deployments.items(),
      services: followed.services.items(),
      // Without the routes that exist nothing can be said about them.
      routeKinds: routes?.isSynced() ? followed.routeKinds.items() : [],
      routes: routes?.isSynced() ? routes.items() : [],
      budgets: followed.budgets.items(),
      configMaps: followed.configMaps.items(),
      more: new Map([...more].map(([kind, informer]) => [kind, informer.items()])),
    }),
    find: (resource, where) => informers.get(resource.kind)?.get(where),
    stop() {
      for (const informer of informers.values()) informer.stop();
    },
  };
}

const isOwn = ({ metadata }: Pod): boolean =>
  metadata.labels?.['app.kubernetes.io/managed-by'] === managedBy['app.kubernetes.io/managed-by'];
/** Of pods that have nothing to do with GPUs only the name is kept: a cluster has many of them. */
function keepName(pod: Pod): Pod {
  const { name, namespace, uid, resourceVersion } = pod.metadata;
  return {
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    spec: { containers: [] },
  };
}
