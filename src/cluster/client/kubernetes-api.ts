import type { Connection } from './connection.js';
import { KubernetesError } from './kubernetes-error.js';
import type { KubeObject } from './object-types.js';
import { apiVersionOf, type ObjectName, pathOf, type Resource } from './resources.js';

/** Which objects of a resource. Without `namespace` those of all namespaces. */
export interface Selection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ObjectList<T> {
  readonly items: readonly T[];
  /** Where a watch that misses nothing begins. */
  readonly resourceVersion: string;
}

/** Who writes, and whether the fields of other writers are taken over. */
export interface ApplyOptions {
  readonly fieldManager: string;
  readonly force?: boolean;
  readonly subresource?: 'status';
}

export interface PatchOptions {
  /** `merge` RFC 7386, `json` RFC 6902 (an array of operations; `test` makes a precondition), `strategic` for built-in kinds only. */
  readonly type?: 'merge' | 'json' | 'strategic';
  readonly subresource?: 'status' | 'scale';
  readonly fieldManager?: string;
}

/** Preconditions and manner of a deletion. */
export interface DeleteOptions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
}

/** One event of a watch. A bookmark carries nothing but a newer `resourceVersion`. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

export interface WatchOptions extends Selection {
  readonly resourceVersion: string;
  readonly signal?: AbortSignal;
  /** Silence after which the connection counts as dead; bookmarks come about once a minute. Milliseconds. */
  readonly silenceMs?: number;
  /** After which the server ends the watch by itself, seconds. */
  readonly durationSeconds?: number;
}

/**
 * The verbs of the Kubernetes API on plain JSON objects. Every method throws KubernetesError when the server refuses or
 * does not answer; none retries. Objects that come from the server belong to the caller.
 */
export interface KubernetesApi {
  get<T extends KubeObject>(resource: Resource<T>, where: ObjectName): Promise<T>;
  /** All objects, page by page; 410 Expired when the pages took too long. `managedFields` are left out. */
  list<T extends KubeObject>(resource: Resource<T>, selection?: Selection): Promise<ObjectList<T>>;
  create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T>;
  /** Needs `metadata.resourceVersion` to be safe: 409 when the object has changed since. */
  replace<T extends KubeObject>(resource: Resource<T>, object: T, subresource?: 'status'): Promise<T>;
  patch<T extends KubeObject>(resource: Resource<T>, where: ObjectName, body: unknown, options?: PatchOptions): Promise<T>;
  /** Server-side apply: creates or changes the fields named; 409 when another manager owns one and `force` is not set. */
  apply<T extends KubeObject>(resource: Resource<T>, object: T, options: ApplyOptions): Promise<T>;
  /** Deletes; 404 when gone already, 409 when a precondition fails. */
  remove(resource: Resource, where: ObjectName, options?: DeleteOptions): Promise<void>;
  /** Asks for a pod's eviction; 429 when a PodDisruptionBudget does not allow it now, 404 when gone already. */
  evict(pod: Required<ObjectName>, options?: Pick<DeleteOptions, 'uid' | 'gracePeriodSeconds'>): Promise<void>;
  /**
   * Tells every change after `resourceVersion`. Returns when the server ends the watch, throws when it breaks; 410 Expired
   * when the version is too old.
   */
  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions, onEvent: (event: WatchEvent<T>) => void): Promise<void>;
  /** Any path of the server, such as `/version`; text when the answer is not JSON. */
  read(path: string): Promise<unknown>;
  close(): void;
}

const pageSize = 500;
const defaultSilenceMs = 90_000;
const patchTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

/** The API over a connection. */
export function createKubernetesApi(connection: Connection): KubernetesApi {
  const send = <T>(request: Parameters<Connection['send']>[0]) => connection.send(request) as Promise<T>;

  return {
    get: (resource, where) => send({ method: 'GET', path: pathOf(resource, where) }),
    list: (resource, selection = {}) => listPages(connection, resource, selection),
    create: (resource, object) => send({ method: 'POST', path: pathOf(resource, namespaceOf(object)), body: withType(resource, object) }),
    replace: (resource, object, subresource) =>
      send({ method: 'PUT', path: pathOf(resource, object.metadata, subresource), body: withType(resource, object) }),
    patch: (resource, where, body, { type = 'merge', subresource, fieldManager } = {}) =>
      send({
        method: 'PATCH',
        path: pathOf(resource, where, subresource),
        query: { fieldManager },
        body,
        contentType: patchTypes[type],
      }),
    apply: (resource, object, { fieldManager, force = false, subresource }) =>
      send({
        method: 'PATCH',
        path: pathOf(resource, object.metadata, subresource),
        query: { fieldManager, force },
        body: withType(resource, object),
        contentType: 'application/apply-patch+yaml',
      }),
    async remove(resource, where, { uid, resourceVersion, gracePeriodSeconds, propagationPolicy } = {}) {
      const preconditions = { uid, resourceVersion };
      await send({ method: 'DELETE', path: pathOf(resource, where), body: { preconditions, gracePeriodSeconds, propagationPolicy } });
    },
    async evict(pod, { uid, gracePeriodSeconds } = {}) {
      await send({
        method: 'POST',
        path: `/api/v1/namespaces/${encodeURIComponent(pod.namespace ?? '')}/pods/${encodeURIComponent(pod.name)}/eviction`,
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: pod,
          deleteOptions: { preconditions: { uid }, gracePeriodSeconds },
        },
      });
    },
    watch: (resource, options, onEvent) => watchEvents(connection, resource, options, onEvent),
    read: (path) => send({ method: 'GET', path, accept: '*/*' }),
    close: () => connection.close(),
  };
}

const namespaceOf = (object: KubeObject) => ({ namespace: object.metadata.namespace });

/** Items of a list come without `apiVersion` and `kind`; writing them back needs both. */
function withType<T extends KubeObject>(resource: Resource<T>, object: T): T {
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function dropManagedFields(object: KubeObject): void {
  delete (object.metadata as { managedFields?: unknown }).managedFields;
}

interface Page<T> {
  readonly items: readonly T[] | null;
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}

async function listPages<T extends KubeObject>(
  connection: Connection,
  resource: Resource<T>,
  selection: Selection,
): Promise<ObjectList<T>> {
  const items: T[] = [];
  let next: string | undefined;
  for (;;) {
    const { namespace, labelSelector, fieldSelector } = selection;
    const query = { labelSelector, fieldSelector, limit: pageSize, continue: next };
    const page = (await connection.send({ method: 'GET', path: pathOf(resource, { namespace }), query })) as Page<T>;
    for (const item of page.items ?? []) {
      dropManagedFields(item);
      items.push(item);
    }
    next = page.metadata.continue;
    if (next === undefined || next === '') return { items, resourceVersion: page.metadata.resourceVersion };
  }
}

async function watchEvents<T extends KubeObject>(
  connection: Connection,
  resource: Resource<T>,
  options: WatchOptions,
  onEvent: (event: WatchEvent<T>) => void,
): Promise<void> {
  const { namespace, labelSelector, fieldSelector, resourceVersion, signal, silenceMs = defaultSilenceMs, durationSeconds } = options;
  const path = pathOf(resource, { namespace });
  const query = { watch: true, allowWatchBookmarks: true, labelSelector, fieldSelector, resourceVersion, timeoutSeconds: durationSeconds };
  await connection.stream({ method: 'GET', path, query, signal, timeoutMs: silenceMs }, (line) => {
    const event = parseEvent<T>(line, path);
    if (event.type === 'ERROR') {
      const { code = 0, reason = '', message = 'the watch broke' } = event.object;
      throw new KubernetesError(message, { status: code, reason, request: `GET ${path}` });
    }
    dropManagedFields(event.object);
    onEvent(event);
  });
}

interface ErrorEvent {
  readonly type: 'ERROR';
  readonly object: { readonly code?: number; readonly reason?: string; readonly message?: string };
}

function parseEvent<T>(line: string, path: string): WatchEvent<T> | ErrorEvent {
  try {
    return JSON.parse(line) as WatchEvent<T> | ErrorEvent;
  } catch (error) {
    // A connection that was cut can end in the middle of a line.
    throw new KubernetesError('an event is not JSON', { status: 0, reason: 'NotJson', request: `GET ${path}` }, { cause: error });
  }
}
