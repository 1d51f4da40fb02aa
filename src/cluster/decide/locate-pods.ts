import { entryOf } from '../../demand/entry-of.js';
import { asksForGpu, type Backends } from '../backends/backend.js';
import type { Pod } from '../client/object-types.js';
import { annotations } from '../objects/names.js';
import type { ClusterView } from '../observe/cluster-view.js';
import { type OwnPod, readOwnPod } from './own-pods.js';
import type { ObservedPool } from './read-hardware.js';
import type { ObservedNode } from './read-node.js';

/** A pod of a workload on a GPU. */
export interface LocatedPod extends OwnPod {
  readonly node: string;
  readonly gpu: string;
  /** Whether the agent has seen it there; else it is where it was sent. */
  readonly seen: boolean;
}

/** All own pods, and where they are. */
export interface Pods {
  /** Waiting for a slot, by type, by name. */
  readonly waiting: ReadonlyMap<string, readonly OwnPod[]>;
  /** Given to a node and not ended, by uid. */
  readonly placed: readonly LocatedPod[];
  /** Failed or succeeded: to be cleared away. */
  readonly ended: readonly OwnPod[];
  /** GPU pods that the scheduler put on a node, ended ones left out, by node. */
  readonly onNode: ReadonlyMap<string, readonly Pod[]>;
  /** Hash of the template that pods of a type are made from now. */
  readonly content: ReadonlyMap<string, string>;
  /** Throughput of one pod, requests per second, by type. */
  readonly capacityRps: ReadonlyMap<string, number>;
}

/** Finds out where every own pod is: what the agent saw, else the slot that it was given. */
export function locatePods(
  { pods, deployments }: Pick<ClusterView, 'pods' | 'deployments'>,
  pools: readonly ObservedPool[],
  backends: Backends,
): Pods {
  const seenAt = new Map<string, string>();
  for (const { nodes } of pools) {
    for (const { gpus } of nodes) {
      for (const { id, instances } of gpus) {
        for (const { pod } of instances) if (pod !== undefined) seenAt.set(`${pod.namespace}/${pod.name}`, id);
      }
    }
  }
  const waiting = new Map<string, OwnPod[]>();
  const placed: LocatedPod[] = [];
  const ended: OwnPod[] = [];
  const onNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const over = pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';
    if (pod.spec.nodeName !== undefined && !over && asksForGpu(pod, backends)) entryOf(onNode, pod.spec.nodeName, () => []).push(pod);
    const own = readOwnPod(pod);
    if (own === undefined) continue;
    if (own.ended) ended.push(own);
    else if (own.node === undefined) {
      if (!own.terminating) entryOf(waiting, own.type, () => []).push(own);
    } else {
      const seen = seenAt.get(`${pod.metadata.namespace}/${pod.metadata.name}`);
      placed.push({ ...own, node: own.node, gpu: seen ?? own.gpu ?? `${own.node}/0`, seen: seen !== undefined });
    }
  }
  for (const list of waiting.values()) list.sort(byAge);
  placed.sort(byAge);
  const capacityRps = new Map<string, number>();
  const content = new Map<string, string>();
  for (const { metadata, spec } of deployments) {
    const template = { metadata: { ...spec.template.metadata, name: '', namespace: metadata.namespace ?? '' }, spec: spec.template.spec };
    const own = readOwnPod(template);
    const rps = Number(metadata.annotations?.[annotations.capacityRps]);
    if (own !== undefined && rps >= 0) capacityRps.set(own.type, rps);
    const hash = spec.template.metadata?.labels?.[annotations.content];
    if (own !== undefined && hash !== undefined) content.set(own.type, hash);
  }
  return { waiting, placed, ended, onNode, content, capacityRps };
}

function byAge(a: OwnPod, b: OwnPod): number {
  const [x, y] = [a, b].map(({ pod: { metadata } }) => `${metadata.creationTimestamp ?? ''} ${metadata.namespace}/${metadata.name}`) as [
    string,
    string,
  ];
  return x < y ? -1 : Number(x > y);
}

/** Whether a pod was made from an older template than the one that its Deployment has now. */
export function isOutdated({ pod, type }: OwnPod, { content }: Pods): boolean {
  const now = content.get(type);
  return now !== undefined && pod.metadata.labels?.[annotations.content] !== now;
}

/** Whether nothing runs on a GPU, as far as that can be known: every GPU pod of its node must have been seen on another one. */
export function isIdle(gpu: string, node: ObservedNode, pods: Pods): boolean {
  const there = pods.onNode.get(node.name) ?? [];
  if (node.source !== 'agent') return there.length === 0;
  const held = node.gpus.filter(({ id }) => id === gpu).flatMap(({ instances }) => instances);
  if (held.some(({ pod }) => pod !== undefined)) return false;
  const seen = new Set(node.gpus.flatMap(({ instances }) => instances.flatMap(({ pod }) => (pod ? [`${pod.namespace}/${pod.name}`] : []))));
  return there.every(({ metadata }) => seen.has(`${metadata.namespace}/${metadata.name}`));
}
