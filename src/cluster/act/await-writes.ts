import type { KubeObject } from '../client/object-types.js';
import type { Write } from '../decide/write.js';
import type { FollowedCluster } from '../observe/follow-cluster.js';

/** A write that was made, with what the server answered. */
export interface MadeWrite {
  readonly write: Write;
  readonly object?: KubeObject | undefined;
}

/**
 * Waits until the copy of the cluster shows what was written, so that the next decision does not decide the same again. Gives
 * up after `patienceMs`: decisions are safe to repeat, only wasteful. Returns whether everything was seen.
 */
export async function awaitWrites(
  writes: readonly MadeWrite[],
  cluster: FollowedCluster,
  patienceMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  let open = writes;
  for (;;) {
    open = open.filter(({ write, object }) => !isSeen(write, object, cluster));
    if (open.length === 0) return true;
    if (signal.aborted || performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function isSeen(write: Write, object: KubeObject | undefined, cluster: FollowedCluster): boolean {
  const copy = cluster.find(write.resource, write.where);
  if (write.kind === 'evict') return copy === undefined || copy.metadata.uid !== write.uid || copy.metadata.deletionTimestamp !== undefined;
  if (write.kind === 'remove')
    return copy === undefined || copy.metadata.uid !== write.uid || copy.metadata.deletionTimestamp !== undefined;
  const version = object?.metadata.resourceVersion;
  if (version === undefined) return true;
  // What was patched was in the copy: when it is not, it was removed since.
  if (copy === undefined) return write.kind === 'patch';
  // What was written and then changed by another has a higher version.
  return BigInt(copy.metadata.resourceVersion ?? 0) >= BigInt(version);
}
