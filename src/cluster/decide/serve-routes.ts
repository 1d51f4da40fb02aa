import type { CustomResourceDefinition, KubeObject } from '../client/object-types.js';
import { httpRoutes, type Resource, services } from '../client/resources.js';
import type { InferenceWorkload } from '../objects/inference-workload.js';
import { labels } from '../objects/names.js';
import type { ClusterView } from '../observe/cluster-view.js';
import type { ServedService } from '../serve/manifests.js';
import { type Backend, writeRoute, writeTypeService } from '../serve/routes.js';
import { keepApplied } from './keep-applied.js';
import type { Pods } from './locate-pods.js';
import { type PodType, serviceKey, typeKey } from './own-pods.js';
import type { Write } from './write.js';

/** What the routes of a workload's services are made from. */
export interface RouteScene {
  readonly view: ClusterView;
  readonly workload: InferenceWorkload;
  readonly served: readonly ServedService[];
  /** Types of pods that have a Deployment or are to have one, all services of the workload. */
  readonly types: readonly PodType[];
  /** Pods that there shall be, by type. */
  readonly wanted: ReadonlyMap<string, number>;
  readonly pods: Pods;
  /** What one pod of a type may be given, requests per second. */
  rateOf(type: string): number;
}

/**
 * The writes that keep one HTTPRoute a service, and the Services that it points to. Weights are those of the pods that are ready, so
 * that no type gets requests before it can answer them, and the plan's own once all are; the plan's, too, while none is.
 */
export function serveRoutes(scene: RouteScene): Write[] {
  const { view, workload, types, wanted, pods } = scene;
  const { gateway } = workload.spec;
  const writes: Write[] = [];
  const kept = new Set<string>();
  const ready = new Map<string, number>();
  for (const { type, ready: isReady, terminating } of pods.placed) if (isReady && !terminating) ready.set(type, (ready.get(type) ?? 0) + 1);
  for (const served of gateway !== undefined && hasRoutes(view) ? scene.served : []) {
    const key = keyOf(served);
    const own = types.filter(({ service }) => service === key);
    const backends = (counts: ReadonlyMap<string, number>): Backend[] =>
      own.map((type) => ({ ...type, rps: (counts.get(typeKey(type)) ?? 0) * scene.rateOf(typeKey(type)) }));
    const answering = backends(ready);
    const route = writeRoute(
      served,
      gateway as NonNullable<typeof gateway>,
      answering.some(({ rps }) => rps > 0) ? answering : backends(wanted),
    );
    for (const type of own) {
      const object = writeTypeService(served, type);
      kept.add(`Service ${object.metadata.name}`);
      writes.push(...keepApplied(services, object, view.services));
    }
    if (route === undefined) continue;
    kept.add(`HTTPRoute ${route.metadata.name}`);
    writes.push(...keepApplied(httpRoutes, route, view.routes));
  }
  const names = new Set(scene.served.map(({ service }) => service.name));
  const isOver = ({ metadata: { name, namespace, labels: own = {}, deletionTimestamp } }: KubeObject, kind: string): boolean => {
    const service = own[labels.service] ?? '';
    if (deletionTimestamp !== undefined || namespace !== workload.metadata.namespace || own[labels.workload] !== workload.metadata.name)
      return false;
    // A service that was taken out of the workload is reached until its last pod has gone.
    const stillRuns =
      !names.has(service) && types.some((type) => type.service === serviceKey(namespace ?? '', workload.metadata.name, service));
    return !stillRuns && !kept.has(`${kind} ${name}`);
  };
  const routes = view.routes.filter((route) => isOver(route, 'HTTPRoute'));
  const behind = view.services.filter((service) => {
    const own = service.metadata.labels ?? {};
    return (own[labels.profile] !== undefined || !names.has(own[labels.service] ?? '')) && isOver(service, 'Service');
  });
  return [...writes, ...routes.map((route) => remove(httpRoutes, route)), ...behind.map((service) => remove(services, service))];
}

function keyOf({ namespace, workload, service }: ServedService): string {
  return serviceKey(namespace, workload, service.name);
}

function remove(resource: Resource, { metadata: { name, namespace = '', uid = '' } }: KubeObject): Write {
  return { kind: 'remove', resource, where: { namespace, name }, uid, why: 'nothing needs it any more' };
}

/** Whether the cluster has HTTPRoutes in the version that is written here. */
export function hasRoutes({ routeKinds }: Pick<ClusterView, 'routeKinds'>): boolean {
  return routeKinds.some(servesRoutes);
}

/** Whether a definition is that of HTTPRoute, served as v1, and there to stay. */
export function servesRoutes({ metadata, spec, status }: CustomResourceDefinition): boolean {
  const versions = (spec['versions'] ?? []) as readonly { readonly name: string; readonly served: boolean }[];
  return (
    metadata.name === routeKindName &&
    metadata.deletionTimestamp === undefined &&
    versions.some(({ name, served }) => name === httpRoutes.version && served) &&
    status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') === true
  );
}

/** Name of the definition that comes with the Gateway API. */
export const routeKindName = `${httpRoutes.plural}.${httpRoutes.group}`;

/** What a workload should know about its gateway. */
export function listRouteProblems(view: ClusterView, { spec }: InferenceWorkload): string[] {
  if (spec.gateway === undefined || hasRoutes(view)) return [];
  return [`The cluster has no HTTPRoute of gateway.networking.k8s.io/v1: requests do not go through the gateway ${spec.gateway.name}.`];
}
