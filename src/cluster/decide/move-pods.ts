import { entryOf } from '../../demand/entry-of.js';
import type { Pod } from '../client/object-types.js';
import { pods as podResource } from '../client/resources.js';
import { annotations, inPlanGate, modelLabel } from '../objects/names.js';
import type { Floors } from './floors.js';
import { isOutdated, type LocatedPod, type Pods } from './locate-pods.js';
import type { OwnPod } from './own-pods.js';
import type { Slot } from './progress.js';
import type { ObservedPool } from './read-hardware.js';
import type { ObservedNode } from './read-node.js';
import type { Write } from './write.js';

/** What starting and stopping pods needs to know. */
export interface PodScene {
  readonly slots: readonly Slot[];
  readonly strays: readonly LocatedPod[];
  readonly pods: Pods;
  readonly nodes: ReadonlyMap<string, { readonly node: ObservedNode; readonly pool: ObservedPool }>;
  readonly floors: Floors;
  /** Nodes that take no pod now. */
  readonly closed: ReadonlySet<string>;
  /** The same of one profile of a node, as `node profile`. */
  readonly closedSlices: ReadonlySet<string>;
  /** Whether a pod is this plan's to evict: those of workloads that are planned elsewhere, or cannot be planned, stay. */
  mayLeave(pod: LocatedPod): boolean;
  /** Whether pods may be stopped on a node now. */
  mayStop(node: string): boolean;
}

/** Gives waiting pods their slots: a pod gets its node and loses its gate in one write. */
export function startPods({ slots, pods, nodes, closed, closedSlices }: PodScene): Write[] {
  // A pod of an older template is about to be replaced: it gets no slot.
  const waiting = new Map([...pods.waiting].map(([type, list]) => [type, list.filter((pod) => !isOutdated(pod, pods))]));
  const taken = new Map<string, number>();
  const take = (node: string, profile: string) => taken.set(`${node} ${profile}`, (taken.get(`${node} ${profile}`) ?? 0) + 1);
  for (const { node, profile } of pods.placed) take(node, profile);
  const writes: Write[] = [];
  for (const slot of slots) {
    if (slot.pod !== undefined || slot.want === 'leave' || closed.has(slot.node)) continue;
    if (closedSlices.has(`${slot.node} ${slot.profile}`)) continue;
    const found = nodes.get(slot.node);
    if (found === undefined || found.node.cordon !== 'no') continue;
    const { profile } = slot;
    const offered = found.node.offer.get(found.pool.names.get(profile) ?? profile) ?? 0;
    // Which of the node's equal instances a pod gets is for the device plugin to say, so room is counted by node.
    if ((taken.get(`${slot.node} ${profile}`) ?? 0) >= Math.min(offered, countInstances(found.node, profile))) continue;
    const pod = entryOf(waiting, slot.type, () => []).shift();
    if (pod === undefined) continue;
    take(slot.node, profile);
    writes.push(bindPod(pod, slot, found.node));
  }
  return writes;
}

/** Gives one waiting pod of each of these types an idle slice of its model and profile, anywhere in the pools. */
export function giveSpareSlots({ pods, nodes, closed, closedSlices }: PodScene, types: ReadonlySet<string>): Write[] {
  const taken = new Set<string>();
  return [...types].flatMap((type): Write[] => {
    const pod = (pods.waiting.get(type) ?? []).find((one) => !isOutdated(one, pods));
    if (pod === undefined) return [];
    for (const [name, { node, pool }] of nodes) {
      if (modelLabel(pool.model?.name ?? '') !== modelLabel(pod.gpuModel)) continue;
      if (!node.usable || node.cordon !== 'no' || closed.has(name) || closedSlices.has(`${name} ${pod.profile}`)) continue;
      const placed = pods.placed.filter((one) => one.node === name && one.profile === pod.profile).length;
      if (placed >= countInstances(node, pod.profile) || taken.has(`${name} ${pod.profile}`)) continue;
      const gpu = node.gpus.find(({ instances }) => instances.some((one) => one.profile === pod.profile && one.pod === undefined));
      const instance = gpu?.instances.find((one) => one.profile === pod.profile && one.pod === undefined);
      if (gpu === undefined || instance === undefined) continue;
      taken.add(`${name} ${pod.profile}`);
      return [bindPod(pod, { gpu: gpu.id, start: instance.start, profile: pod.profile }, node)];
    }
    return [];
  });
}

function countInstances({ gpus }: ObservedNode, profile: string): number {
  if (profile === 'full') return gpus.filter(({ migEnabled }) => !migEnabled).length;
  return gpus.reduce(
    (sum, { migEnabled, instances }) => sum + (migEnabled ? instances.filter((one) => one.profile === profile).length : 0),
    0,
  );
}

function bindPod({ pod }: OwnPod, slot: Pick<Slot, 'gpu' | 'start' | 'profile'>, node: ObservedNode): Write {
  const hostname = node.object.metadata.labels?.['kubernetes.io/hostname'] ?? node.name;
  return {
    kind: 'patch',
    resource: podResource,
    where: nameOf(pod),
    body: {
      metadata: {
        uid: pod.metadata.uid,
        resourceVersion: pod.metadata.resourceVersion,
        annotations: { [annotations.gpu]: slot.gpu, [annotations.start]: String(slot.start) },
      },
      spec: { schedulingGates: null, nodeSelector: { 'kubernetes.io/hostname': hostname } },
    },
    event: 'SlotGiven',
    why: `${slot.profile}@${slot.start} of GPU ${slot.gpu}`,
  };
}

/** Opens the readiness gate of pods that have a slot. */
export function admitPods({ slots, strays }: PodScene): Write[] {
  const kept = slots.flatMap(({ pod, want }) => (pod === undefined || want === 'leave' ? [] : [pod]));
  return [...kept, ...strays].flatMap((pod): Write[] => {
    if (pod.terminating) return [];
    if (pod.pod.spec.readinessGates?.some(({ conditionType }) => conditionType === inPlanGate) !== true) return [];
    if (pod.pod.status?.conditions?.some(({ type, status }) => type === inPlanGate && status === 'True') === true) return [];
    return [
      {
        kind: 'patch',
        strategic: true,
        subresource: 'status',
        resource: podResource,
        where: nameOf(pod.pod),
        body: { metadata: { uid: pod.pod.metadata.uid }, status: { conditions: [{ type: inPlanGate, status: 'True', reason: 'InPlan' }] } },
        why: 'the plan has the pod',
      },
    ];
  });
}

/** Evicts the pods that are to go now, each only while its service keeps its floor without it. */
export function stopPods({ slots, strays, pods, floors, mayLeave, mayStop, nodes }: PodScene): Write[] {
  const leaving = slots.flatMap(({ want, pod }) => (want === 'leave' && pod !== undefined ? [pod] : []));
  // What nobody planned for goes only after what the plan gives up.
  const renewed = new Set(pods.placed.filter((pod) => isOutdated(pod, pods)).map(({ type }) => type));
  const surplus = strays.filter(({ node, type }) => nodes.get(node)?.node.usable === true && !renewed.has(type));
  return [...leaving, ...surplus].flatMap((pod): Write[] => {
    if (pod.terminating || !mayLeave(pod)) return [];
    if (!mayStop(pod.node) || !floors.release(pod)) {
      return [];
    }
    return evictPod(pod, 'the plan has no more use for it');
  });
}

/**
 * Empties nodes of which nobody knows which pod sits on which GPU: all own pods of a node, or none where a service would fall
 * below its floor. They come back to their slots when the node is cut.
 */
export function drainNodes(names: ReadonlySet<string>, { pods, floors, mayLeave }: PodScene): Write[] {
  return [...names].flatMap((name) => {
    const there = pods.placed.filter(({ node, terminating }) => node === name && !terminating);
    return there.every(mayLeave) && floors.releaseAll(there) ? there.flatMap((pod) => evictPod(pod, 'its node changes as a whole')) : [];
  });
}

/** The two writes of an eviction: the pod becomes the first that its Deployment would drop, then it is evicted. */
export function evictPod({ pod }: OwnPod, why: string): Write[] {
  const { uid = '', annotations: notes = {} } = pod.metadata;
  const cost = 'controller.kubernetes.io/pod-deletion-cost';
  const mark: Write = {
    kind: 'patch',
    resource: podResource,
    where: nameOf(pod),
    body: { metadata: { uid, annotations: { [cost]: '-1000' } } },
    why: 'it is to be evicted',
  };
  return [
    ...(notes[cost] === '-1000' ? [] : [mark]),
    { kind: 'evict', resource: podResource, where: nameOf(pod), uid, event: 'PodEvicted', why },
  ];
}

const nameOf = ({ metadata: { name, namespace } }: Pod) => ({ name, ...(namespace !== undefined && { namespace }) });
