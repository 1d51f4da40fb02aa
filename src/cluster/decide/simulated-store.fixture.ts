import type { Condition, KubeObject, Pod, PodDisruptionBudget } from '../client/object-types.js';
import type { ClusterView } from '../observe/cluster-view.js';
import { emptyView } from '../observe/cluster-view.js';
import type { Write } from './write.js';

// biome-ignore lint/suspicious/noExplicitAny: objects of every kind are patched by their JSON
export type Json = any;

const kindOf: Readonly<Record<string, keyof ClusterView>> = {
  GpuPool: 'pools',
  InferenceWorkload: 'workloads',
  SharingPlan: 'plans',
  PlanApproval: 'approvals',
  NodeState: 'nodeStates',
  Node: 'nodes',
  Pod: 'pods',
  Deployment: 'deployments',
  Service: 'services',
  CustomResourceDefinition: 'routeKinds',
  HTTPRoute: 'routes',
  PodDisruptionBudget: 'budgets',
  ConfigMap: 'configMaps',
};

/** The objects of a cluster in memory, with merge patches, preconditions and evictions as an API server has them. */
export class SimulatedStore {
  protected readonly objects = new Map<string, Json>();
  protected version = 1;
  nowMs = Date.UTC(2026, 0, 5);

  view(): ClusterView {
    const view: Record<string, Json[]> = Object.fromEntries(Object.keys(emptyView).map((key) => [key, []]));
    const more = new Map<string, Json[]>();
    for (const object of this.objects.values()) {
      const key = kindOf[object.kind];
      if (key !== undefined) view[key]?.push(object);
      else more.set(object.kind, [...(more.get(object.kind) ?? []), object]);
    }
    return { ...view, more } as unknown as ClusterView;
  }

  put(object: KubeObject): void {
    const { name, namespace } = object.metadata;
    const key = this.key(object.kind as string, { name, ...(namespace !== undefined && { namespace }) });
    const before = this.objects.get(key);
    const generation = (before?.metadata.generation ?? 0) + 1;
    const uid = before?.metadata.uid ?? `uid-${this.version}`;
    this.objects.set(key, {
      ...before,
      ...structuredClone(object),
      metadata: {
        creationTimestamp: new Date(this.nowMs).toISOString(),
        ...object.metadata,
        uid,
        generation,
        resourceVersion: String(this.version++),
      },
    });
  }

  /** Removes an object, and what it owns: the garbage collector's work in one go. */
  deleteWithDependents(kind: string, name: string, namespace?: string): void {
    const key = this.key(kind, { name, ...(namespace !== undefined && { namespace }) });
    const gone = this.objects.get(key);
    this.objects.delete(key);
    if (gone === undefined) return;
    for (const { kind: own, metadata } of [...this.objects.values()]) {
      const isOwned = metadata.ownerReferences?.some((owner: Json) => owner.uid === gone.metadata.uid) === true;
      if (isOwned) this.deleteWithDependents(own, metadata.name, metadata.namespace);
    }
    for (const pod of kind === 'Deployment' ? this.view().pods.filter((one) => matches(gone, one)) : []) {
      this.update(pod, (draft) => {
        draft.metadata.deletionTimestamp = new Date(this.nowMs).toISOString();
      });
    }
  }

  /** Makes one write as the API server would: false when it refuses. */
  write(write: Write): boolean {
    const { resource, where } = write;
    const key = this.key(resource.kind, where);
    const current = this.objects.get(key);
    switch (write.kind) {
      case 'create':
        if (current !== undefined) return false;
        this.put({ ...write.object, kind: resource.kind });
        return true;
      case 'apply':
        if (current === undefined) this.put({ ...write.object, kind: resource.kind });
        else
          this.store(key, {
            ...current,
            ...structuredClone(write.object),
            metadata: { ...current.metadata, ...write.object.metadata },
            status: current.status,
          });
        return true;
      case 'patch': {
        if (current === undefined) return false;
        const body = structuredClone(write.body) as Json;
        const { uid, resourceVersion } = body.metadata ?? {};
        if (uid !== undefined && uid !== current.metadata.uid) return false;
        if (resourceVersion !== undefined && resourceVersion !== current.metadata.resourceVersion) return false;
        if (write.strategic) {
          const own = (body.status?.conditions ?? []) as Condition[];
          const others = ((current.status?.conditions ?? []) as Condition[]).filter(({ type }) => !own.some((one) => one.type === type));
          body.status = { ...body.status, conditions: [...others, ...own] };
        }
        this.store(key, mergePatch(current, body));
        return true;
      }
      case 'evict':
        if (current === undefined || current.metadata.uid !== write.uid) return false;
        if (!this.mayEvict(current)) return false;
        this.store(key, { ...current, metadata: { ...current.metadata, deletionTimestamp: new Date(this.nowMs).toISOString() } });
        return true;
      case 'remove':
        if (current === undefined || current.metadata.uid !== write.uid) return false;
        this.deleteWithDependents(resource.kind, where.name, where.namespace);
        return true;
    }
  }

  protected key(kind: string, { namespace = '', name }: { readonly namespace?: string | undefined; readonly name: string }): string {
    return `${kind} ${namespace}/${name}`;
  }

  protected store(key: string, object: Json): void {
    this.objects.set(key, { ...object, metadata: { ...object.metadata, resourceVersion: String(this.version++) } });
  }

  protected update<T extends KubeObject>(object: T, change: (draft: Json) => void): void {
    const key = this.key(object.kind as string, object.metadata);
    const draft = structuredClone(this.objects.get(key));
    if (draft === undefined) return;
    change(draft);
    this.store(key, draft);
  }

  protected mayEvict(pod: Pod): boolean {
    if (!isReady(pod)) return true;
    const budget = this.view().budgets.find((one) => matches(one, pod));
    if (budget === undefined) return true;
    const healthy = this.view().pods.filter((one) => matches(budget, one) && isReady(one) && one.metadata.deletionTimestamp === undefined);
    return healthy.length - 1 >= Number(budget.spec.minAvailable ?? 0);
  }
}

export const isReady = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

function matches({ spec, metadata }: Pick<PodDisruptionBudget, 'spec' | 'metadata'>, pod: Pod): boolean {
  const wanted = Object.entries(spec.selector?.matchLabels ?? {});
  return pod.metadata.namespace === metadata.namespace && wanted.every(([key, value]) => pod.metadata.labels?.[key] === value);
}

/** RFC 7386. */
function mergePatch(target: Json, patch: Json): Json {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Json = typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}
