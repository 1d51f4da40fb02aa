import type { KubernetesApi, Selection } from './kubernetes-api.js';
import { isExpired, KubernetesError } from './kubernetes-error.js';
import type { KubeObject } from './object-types.js';
import { pause } from './pause.js';
import type { ObjectName, Resource } from './resources.js';

export interface InformerOptions<T extends KubeObject> extends Selection {
  /** Called after each change of the copy, with the name of what changed; once with nothing after each full listing. */
  readonly onChange?: (changed?: ObjectName) => void;
  /** Called when a listing or a watch broke; it is tried again by itself. */
  readonly onError?: (error: unknown) => void;
  /** What of an object is kept: dropping fields that nobody reads keeps the copy small. Identity, name and version must stay. */
  readonly keep?: (object: T) => T;
  /** Each so often the objects are listed anew even if no watch broke, milliseconds; 0 for never. */
  readonly resyncMs?: number;
  /** First and largest wait before trying again, milliseconds. */
  readonly retryMs?: { readonly first: number; readonly most: number };
  /** Silence after which a watch counts as dead, milliseconds. */
  readonly silenceMs?: number;
}

/** A local copy of all objects of a selection that follows the cluster. */
export interface Informer<T extends KubeObject> {
  /** Resolves when the first listing is in. Rejects when the informer is stopped before. */
  readonly synced: Promise<void>;
  isSynced(): boolean;
  get(where: ObjectName): T | undefined;
  /** In the order in which they were first seen. */
  items(): T[];
  stop(): void;
}

const defaultRetryMs = { first: 200, most: 30_000 };
const defaultResyncMs = 10 * 60_000;

const keyOf = (where: ObjectName) => `${where.namespace ?? ''}/${where.name}`;

/**
 * Lists, then watches; continues after a dropped watch from the last version seen, lists anew after 410 Expired, and waits
 * longer from one failure to the next. The copy is never emptied by a failure: it is old, and says nothing of it.
 */
export function startInformer<T extends KubeObject>(
  api: KubernetesApi,
  resource: Resource<T>,
  options: InformerOptions<T> = {},
): Informer<T> {
  const { onChange = () => {}, onError = () => {}, keep = (object) => object, resyncMs = defaultResyncMs } = options;
  const { retryMs = defaultRetryMs, silenceMs } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let copy = new Map<string, T>();
  let synced = false;
  let settle: { resolve(): void; reject(error: Error): void };
  const firstListing = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Nobody may be waiting when it is stopped early.
  firstListing.catch(() => {});

  async function relist(): Promise<string> {
    const { items, resourceVersion } = await api.list(resource, options);
    copy = new Map(items.map((item) => [keyOf(item.metadata), keep(item)]));
    synced = true;
    settle.resolve();
    onChange();
    return resourceVersion;
  }

  async function follow(from: string, untilMs: number): Promise<string> {
    let version = from;
    const over =
      resyncMs > 0 ? AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, Math.ceil(untilMs - performance.now())))]) : signal;
    try {
      await api.watch(
        resource,
        { ...options, resourceVersion: from, signal: over, ...(silenceMs === undefined ? {} : { silenceMs }) },
        ({ type, object }) => {
          version = object.metadata.resourceVersion ?? version;
          if (type === 'BOOKMARK' || signal.aborted) return;
          const key = keyOf(object.metadata);
          if (type === 'DELETED') copy.delete(key);
          else copy.set(key, keep(object));
          onChange(object.metadata);
        },
      );
    } catch (error) {
      throw new BrokenWatch(version, error);
    }
    return version;
  }

  async function run(): Promise<void> {
    let version: string | undefined;
    let listAtMs = 0;
    let waitMs = retryMs.first;
    while (!signal.aborted) {
      try {
        if (version === undefined || (resyncMs > 0 && performance.now() >= listAtMs)) {
          version = await relist();
          listAtMs = performance.now() + resyncMs;
        }
        const before: string = version;
        version = await follow(version, listAtMs);
        if (version !== before) waitMs = retryMs.first;
        // A server that ends each watch at once would otherwise be asked without pause.
        else await pause(retryMs.first, signal);
      } catch (error) {
        if (signal.aborted) return;
        // Anything else is a fault of this program, or of whoever listens, and trying again would hide it.
        if (!(causeOf(error) instanceof KubernetesError)) throw error;
        const resyncDue = resyncMs > 0 && version !== undefined && performance.now() >= listAtMs;
        if (error instanceof BrokenWatch) {
          if (error.version !== version) waitMs = retryMs.first;
          version = isExpired(error.cause) ? undefined : error.version;
        }
        if (resyncDue) continue;
        onError(causeOf(error));
        await pause(waitMs, signal);
        waitMs = Math.min(retryMs.most, waitMs * 2);
      }
    }
  }

  void run();
  return {
    synced: firstListing,
    isSynced: () => synced,
    get: (where) => copy.get(keyOf(where)),
    items: () => [...copy.values()],
    stop() {
      stopping.abort();
      settle.reject(new KubernetesError('the informer was stopped', { status: 0, reason: 'Stopped', request: `LIST ${resource.plural}` }));
    },
  };
}

/** A watch that broke, and the last version it had seen. */
class BrokenWatch extends Error {
  readonly version: string;

  constructor(version: string, cause: unknown) {
    super('the watch broke', { cause });
    this.version = version;
  }
}

const causeOf = (error: unknown) => (error instanceof BrokenWatch ? error.cause : error);
