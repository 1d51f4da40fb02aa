import type { PodRequest } from '../backends/backend.js';
import type { Deployment, OwnerReference } from '../client/object-types.js';
import { deployments, podDisruptionBudgets, type Resource, services } from '../client/resources.js';
import { annotations, groupVersion, labels } from '../objects/names.js';
import type { ClusterView } from '../observe/cluster-view.js';
import { fewestPods, type ServedService, writeBudget, writeDeployment, writeService } from '../serve/manifests.js';
import { deploymentName } from '../serve/names.js';
import type { WorkloadGroup } from './group-workloads.js';
import { keepApplied } from './keep-applied.js';
import type { Pods } from './locate-pods.js';
import { type PodType, readOwnPod, serviceKey } from './own-pods.js';
import type { PlannedType } from './planned-types.js';
import type { Slot } from './progress.js';
import type { ReadWorkload } from './read-workloads.js';
import { serveRoutes } from './serve-routes.js';
import type { Write } from './write.js';

/** What the objects of a group's services are made from. */
export interface ServeScene {
  readonly view: ClusterView;
  readonly group: WorkloadGroup;
  /** Of every pod that the transition speaks of. */
  readonly types: ReadonlyMap<string, PlannedType>;
  readonly slots: readonly Slot[];
  readonly pods: Pods;
  readonly floorRps: ReadonlyMap<string, number>;
  /** What one pod may be given under the latency rule, requests per second, by type; throughput counts for types that are not there. */
  readonly plannedRps: ReadonlyMap<string, number>;
}

/**
 * The writes that make Deployments, Services and PodDisruptionBudgets what they should be. A Deployment has as many replicas as
 * slots, and never fewer than the pods it has on nodes: those leave one by one, by eviction, before the number goes down.
 */
export function serveGroup(scene: ServeScene): Write[] {
  const { view, group, slots, pods, floorRps } = scene;
  const { types } = scene;
  const wanted = new Map<string, number>();
  for (const { want, type } of slots) if (want !== 'leave') wanted.set(type, (wanted.get(type) ?? 0) + 1);
  const settled = new Set(slots.flatMap(({ want, pod }) => (want !== 'leave' && pod !== undefined ? [pod.pod.metadata.uid] : [])));
  for (const { type, pod, terminating } of pods.placed) {
    if (!terminating && !settled.has(pod.metadata.uid)) wanted.set(type, (wanted.get(type) ?? 0) + 1);
  }
  const capacities = new Map<string, number[]>();
  for (const { type } of slots) {
    const known = types.get(type);
    if (known !== undefined) capacities.set(known.service, [...(capacities.get(known.service) ?? []), known.capacityRps]);
  }
  const existing = indexDeployments(view.deployments);
  const writes: Write[] = [];
  const present = listPresent(types, existing, wanted);
  for (const workload of group.workloads) {
    const { namespace, name, object: own } = workload;
    const all = own.spec.services.map((service): ServedService => ({ namespace, workload: name, service, owner: ownerOf(workload) }));
    for (const served of all) {
      const { service } = served;
      const key = serviceKey(namespace, name, service.name);
      writes.push(...keepApplied(services, writeService(served), view.services));
      const minAvailable = fewestPods(capacities.get(key) ?? [], floorRps.get(key) ?? 0);
      writes.push(...keepApplied(podDisruptionBudgets, writeBudget(served, minAvailable), view.budgets));
      for (const [type, planned] of types) {
        if (planned.service !== key) continue;
        const replicas = wanted.get(type) ?? 0;
        const current = existing.get(type);
        if (replicas === 0 && current === undefined) continue;
        const request = findRequest(group, served, planned);
        const object = writeDeployment(served, { ...planned, replicas, request });
        if (replicas > 0) writes.push(...keepRequested(view, request));
        if (replicas === 0 && current !== undefined && !hasPods(type, pods)) writes.push(removeDeployment(current));
        else if (current === undefined || differs(current, object)) writes.push(applyDeployment(object, current));
      }
    }
    const rateOf = (type: string) => scene.plannedRps.get(type) ?? pods.capacityRps.get(type) ?? 0;
    writes.push(...serveRoutes({ view, workload: own, served: all, types: present, wanted, pods, rateOf }));
  }
  const keys = new Set(
    group.workloads.flatMap(({ object, namespace, name }) => object.spec.services.map((one) => serviceKey(namespace, name, one.name))),
  );
  writes.push(...removeBudgets(scene, keys));
  const workloads = new Set(group.workloads.map(({ namespace, name }) => `${namespace}.${name}.`));
  for (const [type, deployment] of existing) {
    const service = type.slice(0, type.indexOf(' '));
    const isOwn = [...workloads].some((prefix) => service.startsWith(prefix));
    if (!isOwn || (keys.has(service) && types.has(type))) continue;
    const replicas = wanted.get(type) ?? 0;
    if (replicas === 0 && !hasPods(type, pods)) writes.push(removeDeployment(deployment));
    else if ((deployment.spec.replicas ?? 1) !== replicas) writes.push(scale(deployment, replicas));
  }
  return writes;
}

/** How pods of a type ask for their slice: pools of one model that a workload may use agree on that, and on the profile's name. */
function findRequest({ pools }: WorkloadGroup, served: ServedService, type: PodType): PodRequest {
  const own = pools.filter(({ model }) => model?.name === type.gpuModel);
  const spelled = own.find(({ names }) => names.has(type.profile))?.names.get(type.profile) ?? type.profile;
  const { namespace, workload, service, owner } = served;
  const name = deploymentName(workload, service.name, type);
  const asked = { gpuModel: type.gpuModel, profile: spelled, namespace, name, owner };
  return own.find(({ backend }) => backend !== undefined)?.backend?.allocation.requestOf(asked) ?? { resources: {} };
}

function keepRequested({ more }: ClusterView, { objects = [] }: PodRequest): Write[] {
  return objects.flatMap(({ resource, object }) =>
    keepApplied(resource as Resource<typeof object>, object, (more.get(resource.kind) ?? []) as (typeof object)[]),
  );
}

/** Of services that are given up: a budget would hold their last pods for ever. */
function removeBudgets({ view, group, floorRps }: ServeScene, keys: ReadonlySet<string>): Write[] {
  const over = view.budgets.filter(({ metadata: { namespace = '', labels: own = {}, deletionTimestamp } }) => {
    const [workload, service] = [own[labels.workload], own[labels.service]];
    if (deletionTimestamp !== undefined || workload === undefined || service === undefined) return false;
    const key = serviceKey(namespace, workload, service);
    const isOwn = group.workloads.some((one) => one.namespace === namespace && one.name === workload);
    return isOwn && !keys.has(key) && (floorRps.get(key) ?? 0) === 0;
  });
  return over.map(({ metadata: { name, namespace = '', uid = '' } }): Write => {
    return { kind: 'remove', resource: podDisruptionBudgets, where: { namespace, name }, uid, why: 'its service is given up' };
  });
}

/** Types that have a Deployment, or get one. */
function listPresent(
  types: ReadonlyMap<string, PodType>,
  existing: ReadonlyMap<string, Deployment>,
  wanted: ReadonlyMap<string, number>,
): readonly PodType[] {
  const present = new Map<string, PodType>();
  for (const [type, planned] of types) if ((wanted.get(type) ?? 0) > 0) present.set(type, planned);
  for (const { metadata, spec } of existing.values()) {
    const own = readOwnPod({
      metadata: { ...spec.template.metadata, name: '', namespace: metadata.namespace ?? '' },
      spec: spec.template.spec,
    });
    if (own !== undefined) present.set(own.type, own);
  }
  return [...present.values()];
}

function hasPods(type: string, pods: Pods): boolean {
  return pods.placed.some((pod) => pod.type === type);
}

function indexDeployments(all: readonly Deployment[]): ReadonlyMap<string, Deployment> {
  const index = new Map<string, Deployment>();
  for (const deployment of all) {
    const { metadata, spec } = deployment;
    if (metadata.deletionTimestamp !== undefined) continue;
    const own = readOwnPod({
      metadata: { ...spec.template.metadata, name: '', namespace: metadata.namespace ?? '' },
      spec: spec.template.spec,
    });
    if (own !== undefined) index.set(own.type, deployment);
  }
  return index;
}

function ownerOf({ object: { metadata } }: ReadWorkload): OwnerReference {
  return { apiVersion: groupVersion, kind: 'InferenceWorkload', name: metadata.name, uid: metadata.uid ?? '', controller: true };
}

/** What a person or another program may have changed: the number of pods, and the template by its hash and its containers. */
function differs(current: Deployment, wanted: Deployment): boolean {
  return (
    (current.spec.replicas ?? 1) !== wanted.spec.replicas ||
    current.metadata.annotations?.[annotations.content] !== wanted.metadata.annotations?.[annotations.content] ||
    current.metadata.annotations?.[annotations.capacityRps] !== wanted.metadata.annotations?.[annotations.capacityRps] ||
    current.spec.template.metadata?.labels?.[annotations.content] !== wanted.spec.template.metadata?.labels?.[annotations.content] ||
    current.spec['paused'] === true ||
    current.spec.template.spec.containers.some(
      ({ name, image }, index) =>
        name !== wanted.spec.template.spec.containers[index]?.name || image !== wanted.spec.template.spec.containers[index]?.image,
    )
  );
}

function applyDeployment(object: Deployment, current: Deployment | undefined): Write {
  const { name, namespace = '' } = object.metadata;
  const isNew = current === undefined;
  return {
    kind: 'apply',
    resource: deployments,
    where: { namespace, name },
    object,
    isNew,
    event: isNew ? 'DeploymentCreated' : 'DeploymentChanged',
    why: `${object.spec.replicas} replicas of the plan${isNew ? '' : `, before ${current.spec.replicas ?? 1}`}`,
  };
}

function scale({ metadata: { name, namespace = '', uid } }: Deployment, replicas: number): Write {
  return {
    kind: 'patch',
    resource: deployments,
    where: { namespace, name },
    body: { metadata: { uid }, spec: { replicas } },
    event: 'DeploymentChanged',
    why: `${replicas} pods of a service that is given up`,
  };
}

function removeDeployment({ metadata: { name, namespace = '', uid = '' } }: Deployment): Write {
  return {
    kind: 'remove',
    resource: deployments,
    where: { namespace, name },
    uid,
    event: 'DeploymentRemoved',
    why: 'the plan has no such pods',
  };
}
