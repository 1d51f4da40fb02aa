import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { isExpired } from '../../src/cluster/client/kubernetes-error.js';
import type { KubeObject } from '../../src/cluster/client/object-types.js';
import type { Resource } from '../../src/cluster/client/resources.js';

/**
 * Tells every object that there is, then every change, in order, until the signal aborts. Resolves when the first listing is told.
 * After a restart of the API server the last version seen may be too old: then what differs is told from a new listing.
 */
export async function followEvents<T extends KubeObject>(
  api: KubernetesApi,
  resource: Resource<T>,
  { namespace, signal }: { readonly namespace?: string | undefined; readonly signal: AbortSignal },
  tell: (object: T, isGone: boolean) => void,
): Promise<void> {
  const known = new Map<string, T>();
  const note = (object: T, isGone: boolean) => {
    const key = `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    if (isGone) known.delete(key);
    else known.set(key, object);
    tell(object, isGone);
  };
  const list = async () => {
    const { items, resourceVersion } = await api.list(resource, { namespace });
    const uids = new Set(items.map(({ metadata }) => metadata.uid));
    for (const old of [...known.values()]) if (!uids.has(old.metadata.uid)) note(old, true);
    for (const item of items) note(item, false);
    return resourceVersion;
  };
  let version = await list();
  void (async () => {
    while (!signal.aborted) {
      try {
        await api.watch(resource, { namespace, resourceVersion: version, signal }, ({ type, object }) => {
          version = object.metadata.resourceVersion ?? version;
          if (type !== 'BOOKMARK') note(object, type === 'DELETED');
        });
      } catch (error) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        if (isExpired(error) && !signal.aborted) version = await list().catch(() => version);
      }
    }
  })();
}
