import type {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  HttpRoute,
  KubeObject,
  Node,
  Pod,
  PodDisruptionBudget,
  Service,
} from '../client/object-types.js';
import type { GpuPool } from '../objects/gpu-pool.js';
import type { InferenceWorkload } from '../objects/inference-workload.js';
import type { NodeState } from '../objects/node-state.js';
import type { PlanApproval, SharingPlan } from '../objects/sharing-plan.js';

/** Everything that decisions are made from, as plain values: what the cluster holds, and nothing that a process remembers. */
export interface ClusterView {
  readonly pools: readonly GpuPool[];
  readonly workloads: readonly InferenceWorkload[];
  readonly plans: readonly SharingPlan[];
  readonly approvals: readonly PlanApproval[];
  readonly nodeStates: readonly NodeState[];
  readonly nodes: readonly Node[];
  /** All pods that ask for GPUs, and all own ones. */
  readonly pods: readonly Pod[];
  readonly deployments: readonly Deployment[];
  readonly services: readonly Service[];
  /** The definition of HTTPRoute where the Gateway API is installed, else empty. */
  readonly routeKinds: readonly CustomResourceDefinition[];
  readonly routes: readonly HttpRoute[];
  /** Own ones, and those of others that may stand in the way of an eviction. */
  readonly budgets: readonly PodDisruptionBudget[];
  /** Performance tables, configurations of mig-manager, and parts of large plans. */
  readonly configMaps: readonly ConfigMap[];
  /** Objects of the kinds that backends read besides, by kind. */
  readonly more: ReadonlyMap<string, readonly KubeObject[]>;
}

/** An empty cluster. */
export const emptyView: ClusterView = {
  pools: [],
  workloads: [],
  plans: [],
  approvals: [],
  nodeStates: [],
  nodes: [],
  pods: [],
  deployments: [],
  services: [],
  routeKinds: [],
  routes: [],
  budgets: [],
  configMaps: [],
  more: new Map(),
};
