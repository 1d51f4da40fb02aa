/**
 * The parts of Kubernetes objects that this package reads and writes, as they stand in JSON. Times are RFC 3339 strings:
 * nothing is turned into a Date, so what was read can be written back unchanged.
 */

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** What every Kubernetes object has. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** A condition of a status. Pod and node conditions have further times and no `observedGeneration`. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
  readonly lastHeartbeatTime?: string;
}

/** Amounts by resource name, as Kubernetes writes them (`"7"`, `"16Gi"`). */
export type ResourceList = Readonly<Record<string, string>>;

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

export interface Node extends KubeObject {
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly Taint[]; readonly providerID?: string };
  readonly status?: {
    readonly capacity?: ResourceList;
    readonly allocatable?: ResourceList;
    readonly conditions?: readonly Condition[];
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly nodeInfo?: Readonly<Record<string, string>>;
  };
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number; readonly protocol?: string }[];
  readonly resources?: { readonly requests?: ResourceList; readonly limits?: ResourceList };
  readonly [more: string]: unknown;
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly schedulingGates?: readonly { readonly name: string }[];
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly terminationGracePeriodSeconds?: number;
  readonly priorityClassName?: string;
  readonly [more: string]: unknown;
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly started?: boolean;
  readonly image: string;
  readonly imageID: string;
  readonly state?: unknown;
  readonly lastState?: unknown;
}

export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status?: {
    readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly hostIP?: string;
    readonly startTime?: string;
  };
}

export interface PodTemplateSpec {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec: PodSpec;
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[];
}

export interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplateSpec;
    readonly [more: string]: unknown;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly conditions?: readonly Condition[];
  };
}

export interface PodDisruptionBudget extends KubeObject {
  readonly spec: {
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly selector?: LabelSelector;
    readonly unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow';
  };
  readonly status?: {
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly observedGeneration?: number;
  };
}

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

export interface Service extends KubeObject {
  readonly spec: {
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly { readonly name?: string; readonly port: number; readonly targetPort?: number | string }[];
    readonly [more: string]: unknown;
  };
}

/** Of the Gateway API, as far as it is written here. */
export interface HttpRoute extends KubeObject {
  readonly spec: {
    readonly parentRefs: readonly { readonly name: string; readonly namespace: string }[];
    readonly hostnames: readonly string[];
    readonly rules: readonly {
      readonly backendRefs: readonly { readonly name: string; readonly port: number; readonly weight: number }[];
    }[];
  };
}

export interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** An event of `events.k8s.io/v1`. */
export interface KubeEvent extends KubeObject {
  readonly eventTime: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly action: string;
  readonly reason: string;
  readonly note?: string;
  readonly type: 'Normal' | 'Warning';
  readonly regarding: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
  };
}

export interface CustomResourceDefinition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly plural: string;
      readonly singular?: string;
      readonly kind: string;
      readonly listKind?: string;
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
    };
    readonly [more: string]: unknown;
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}
