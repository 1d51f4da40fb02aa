import type { Node } from '../../client/object-types.js';
import { annotations, cordonOwner, nvidia } from '../../objects/names.js';
import type { NodeRelease } from '../backend.js';
import { readAttempt, releaseNode } from './change-node.js';

/** As the default of `migManager.timeoutSeconds`: the pool that would say is gone. */
const patienceMs = 900_000;

/**
 * Opens a node that is no plan's any more. One whose label was set is left alone until mig-manager has answered, well or badly, or has
 * had its time: the new layout stays, and nobody starts pods on GPUs that are being cut.
 */
export function releaseLeftNode(node: Node, nowMs: number): NodeRelease | undefined {
  const { labels = {}, annotations: notes = {} } = node.metadata;
  const isOwn = node.spec?.unschedulable === true && notes[annotations.cordonedBy] === cordonOwner;
  const writes = releaseNode(node, isOwn ? 'own' : 'no');
  if (writes.length === 0) return undefined;
  const tried = readAttempt(notes[annotations.attempt]);
  const state = labels[nvidia.migState];
  const leftMs = tried === undefined || state === 'success' || state === 'failed' ? 0 : tried.atMs + patienceMs - nowMs;
  return leftMs > 0 ? { writes: [], againInMs: leftMs } : { writes };
}
