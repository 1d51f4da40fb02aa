import type { KubeObject } from '../client/object-types.js';
import type { ObjectName, Resource } from '../client/resources.js';

interface Common {
  readonly resource: Resource;
  readonly where: ObjectName;
  /** Reason of the event, such as `PodEvicted`; none for bookkeeping. */
  readonly event?: string;
  /** Group of workloads that it is for; a write for none is made whatever becomes of others. */
  readonly group?: string;
  /** One sentence: what is done and why. */
  readonly why: string;
}

/** One change of the cluster: safe to repeat, and safe to be the last one that a process makes. */
export type Write =
  /**
   * Server-side apply of an object that is the operator's own. One that `isNew` is not known to exist: what somebody else made under
   * its name is left alone.
   */
  | (Common & { readonly kind: 'apply'; readonly object: KubeObject; readonly isNew?: boolean })
  /** Fails when it exists. */
  | (Common & { readonly kind: 'create'; readonly object: KubeObject })
  /** Merge patch (`strategic`: lists of built-in kinds merge by key); a uid or resourceVersion in its metadata is a precondition. */
  | (Common & { readonly kind: 'patch'; readonly body: object; readonly subresource?: 'status'; readonly strategic?: true })
  /** By the eviction API, of this very pod. */
  | (Common & { readonly kind: 'evict'; readonly uid: string })
  | (Common & { readonly kind: 'remove'; readonly uid: string });
