import type { KubernetesError } from '../client/kubernetes-error.js';
import type { Refusal } from '../decide/list-troubles.js';
import type { Write } from '../decide/write.js';
import { labels } from '../objects/names.js';

/** Remembers what the API server refuses again and again, so that it can be told to whom it concerns. Forgetting it is harmless. */
export interface Refusals {
  /** What is to be written now; what is no longer wanted is forgotten. */
  want(writes: readonly Write[]): void;
  refused(write: Write, error: KubernetesError): void;
  done(write: Write): void;
  /** Refused at least twice in a row: a fault that passes is nobody's concern. */
  list(): readonly Refusal[];
}

export function createRefusals(): Refusals {
  const known = new Map<string, { readonly refusal: Refusal; readonly times: number }>();
  return {
    want(writes) {
      const wanted = new Set(writes.map(keyOf));
      for (const key of known.keys()) if (!wanted.has(key)) known.delete(key);
    },
    refused(write, error) {
      // No answer says nothing about the object, and a budget that stands before an eviction does what it is for.
      if (error.status === 0 || error.status === 429) return;
      const { resource, where } = write;
      const workload = 'object' in write ? write.object.metadata.labels?.[labels.workload] : undefined;
      const refusal = { kind: resource.kind, ...where, ...(workload !== undefined && { workload }), message: error.message };
      known.set(keyOf(write), { refusal, times: (known.get(keyOf(write))?.times ?? 0) + 1 });
    },
    done: (write) => void known.delete(keyOf(write)),
    list: () => [...known.values()].filter(({ times }) => times > 1).map(({ refusal }) => refusal),
  };
}

const keyOf = ({ kind, resource, where }: Write): string => `${kind} ${resource.kind} ${where.namespace ?? ''}/${where.name}`;
