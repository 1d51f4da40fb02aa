import type {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  HttpRoute,
  KubeEvent,
  KubeObject,
  Lease,
  Node,
  Pod,
  PodDisruptionBudget,
  Service,
} from './object-types.js';

/** A kind of object that the API server stores, and where it stores it. `T` is the type of its objects. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Never set: carries the type of the objects. */
  readonly objectType?: T;
}

/** Describes a resource; `where` is `plural.version[.group]` as `kubectl` takes it, such as `deployments.v1.apps`. */
export function resourceOf<T extends KubeObject>(where: string, kind: string, scope: 'cluster' | 'namespaced'): Resource<T> {
  const [plural = '', version = '', ...group] = where.split('.');
  return { group: group.join('.'), version, plural, kind, namespaced: scope === 'namespaced' };
}

export const nodes = resourceOf<Node>('nodes.v1', 'Node', 'cluster');
/** @public For the tests, which make some. */
export const namespaces = resourceOf('namespaces.v1', 'Namespace', 'cluster');
export const pods = resourceOf<Pod>('pods.v1', 'Pod', 'namespaced');
export const configMaps = resourceOf<ConfigMap>('configmaps.v1', 'ConfigMap', 'namespaced');
export const services = resourceOf<Service>('services.v1', 'Service', 'namespaced');
export const deployments = resourceOf<Deployment>('deployments.v1.apps', 'Deployment', 'namespaced');
export const podDisruptionBudgets = resourceOf<PodDisruptionBudget>('poddisruptionbudgets.v1.policy', 'PodDisruptionBudget', 'namespaced');
export const leases = resourceOf<Lease>('leases.v1.coordination.k8s.io', 'Lease', 'namespaced');
export const events = resourceOf<KubeEvent>('events.v1.events.k8s.io', 'Event', 'namespaced');
/** Its kind exists only where the Gateway API is installed. */
export const httpRoutes = resourceOf<HttpRoute>('httproutes.v1.gateway.networking.k8s.io', 'HTTPRoute', 'namespaced');
export const customResourceDefinitions = resourceOf<CustomResourceDefinition>(
  'customresourcedefinitions.v1.apiextensions.k8s.io',
  'CustomResourceDefinition',
  'cluster',
);

/** `v1` or `apps/v1`: what stands in `apiVersion`. */
export function apiVersionOf(resource: Resource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** An object of a resource; `namespace` is needed for namespaced ones. */
export interface ObjectName {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The path of an object, or of all objects (of a namespace) when no name is given, on the API server. */
export function pathOf(resource: Resource, where: Partial<ObjectName> = {}, subresource = ''): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const namespace = resource.namespaced && where.namespace !== undefined ? `/namespaces/${encodeURIComponent(where.namespace)}` : '';
  const name = where.name === undefined ? '' : `/${encodeURIComponent(where.name)}`;
  return `${root}${namespace}/${resource.plural}${name}${subresource === '' ? '' : `/${subresource}`}`;
}
