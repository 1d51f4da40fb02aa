import type { KubernetesApi } from '../client/kubernetes-api.js';
import { isConflict, isNotFound } from '../client/kubernetes-error.js';
import { nodes, pods } from '../client/resources.js';
import { nodeStates } from '../objects/kinds.js';
import { type EmulatedNodeSpec, emulatedLabel, makeNode } from './node-objects.js';

/** Adds emulated nodes; those that exist already stay as they are. Returns how many were new. */
export async function addEmulatedNodes(api: KubernetesApi, fleet: readonly EmulatedNodeSpec[]): Promise<number> {
  let added = 0;
  for (const spec of fleet) {
    try {
      await api.create(nodes, makeNode(spec));
      added += 1;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
  return added;
}

/** Removes every emulated node with its report and its pods, and nothing else. Returns how many nodes there were. */
export async function removeEmulatedNodes(api: KubernetesApi): Promise<number> {
  const { items } = await api.list(nodes, { labelSelector: `${emulatedLabel}=true` });
  for (const { metadata } of items) {
    await ignoreMissing(api.remove(nodes, metadata, { uid: metadata.uid }));
    await ignoreMissing(api.remove(nodeStates, { name: metadata.name }));
  }
  const removed = new Set(items.map(({ metadata }) => metadata.name));
  for (const { metadata, spec } of (await api.list(pods)).items) {
    // No kubelet is left to end them.
    if (removed.has(spec.nodeName ?? '')) await ignoreMissing(api.remove(pods, metadata, { uid: metadata.uid, gracePeriodSeconds: 0 }));
  }
  return items.length;
}

async function ignoreMissing(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
