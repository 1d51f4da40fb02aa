import type { KubernetesApi } from '../client/kubernetes-api.js';
import { isConflict, isNotFound, isTooManyRequests, KubernetesError } from '../client/kubernetes-error.js';
import type { KubeObject } from '../client/object-types.js';
import type { Write } from '../decide/write.js';
import { fieldManager } from '../objects/names.js';

/** What became of a write. */
export type Outcome =
  /** `object` is what the server holds now; absent for evictions and removals. */
  | { readonly kind: 'done'; readonly object?: KubeObject }
  /** Somebody was faster: the next look at the cluster shows how. */
  | { readonly kind: 'overtaken' }
  /** Not now; worth another try after `retryAfterMs` or more. */
  | { readonly kind: 'refused'; readonly error: KubernetesError; readonly retryAfterMs: number };

/** Makes one write. Throws only what is no answer of the API server. */
export async function execute(api: KubernetesApi, write: Write): Promise<Outcome> {
  try {
    const object = await send(api, write);
    return { kind: 'done', ...(object && { object }) };
  } catch (error) {
    // Fields of an object that another made: looking again shows nothing new.
    const isTaken = write.kind === 'apply' && isConflict(error);
    if ((isConflict(error) && !isTaken) || (isNotFound(error) && write.kind !== 'create' && write.kind !== 'apply'))
      return { kind: 'overtaken' };
    if (!(error instanceof KubernetesError)) throw error;
    const wait = isTooManyRequests(error) ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    return { kind: 'refused', error, retryAfterMs: wait };
  }
}

async function send(api: KubernetesApi, write: Write): Promise<KubeObject | undefined> {
  const { resource, where } = write;
  switch (write.kind) {
    case 'apply':
      return api.apply(resource, write.object, { fieldManager, force: write.isNew !== true });
    case 'create':
      return api.create(resource, write.object);
    case 'patch':
      return api.patch(resource, where, write.body, {
        type: write.strategic === true ? 'strategic' : 'merge',
        fieldManager,
        ...(write.subresource && { subresource: write.subresource }),
      });
    case 'evict':
      await api.evict({ namespace: where.namespace ?? '', name: where.name }, { uid: write.uid });
      return undefined;
    case 'remove':
      await api.remove(resource, where, { uid: write.uid, propagationPolicy: 'Background' });
      return undefined;
  }
}
