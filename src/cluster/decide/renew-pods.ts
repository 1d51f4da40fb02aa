import { isOutdated, type LocatedPod } from './locate-pods.js';
import { evictPod, giveSpareSlots, type PodScene } from './move-pods.js';
import type { Write } from './write.js';

/**
 * Replaces pods of an older template one by one while a plan stands: an outdated pod is evicted where its service keeps its floor
 * without it; where it would not, the new pod first gets an idle slice of the same size, and goes there only for that time.
 */
export function renewPods(scene: PodScene): Write[] {
  const { pods, floors, mayLeave, mayStop, nodes } = scene;
  // Pods of other plans are on other nodes: their floors are not known here.
  const outdated = pods.placed.filter((pod) => nodes.has(pod.node) && mayLeave(pod) && !pod.terminating && isOutdated(pod, pods));
  const types = new Set(outdated.map(({ type }) => type));
  const isAwaited = ({ type }: LocatedPod) => (pods.waiting.get(type) ?? []).some((pod) => !isOutdated(pod, pods));
  const blocked = new Set<string>();
  const evictions = outdated.flatMap((pod): Write[] => {
    const surged = scene.strays.some((stray) => stray.type === pod.type && !isOutdated(stray, pods));
    if (!isAwaited(pod) && !surged) return [];
    if (mayStop(pod.node) && floors.release(pod)) return evictPod(pod, 'its template has changed');
    if (!surged) blocked.add(pod.type);
    return [];
  });
  return [...evictions, ...giveSpareSlots(scene, new Set([...types].filter((type) => blocked.has(type))))];
}

/**
 * While steps are under way only those pods of an older template are replaced that deliver nothing: a step that waits for them
 * would wait for ever, although somebody has mended the template.
 */
export function renewBrokenPods({ pods, slots, mayLeave, mayStop, nodes }: PodScene): Write[] {
  const leaving = new Set(slots.flatMap(({ want, pod }) => (want === 'leave' && pod !== undefined ? [pod.pod.metadata.uid] : [])));
  const isBroken = (pod: LocatedPod) => !pod.ready && !pod.terminating && isOutdated(pod, pods) && !leaving.has(pod.pod.metadata.uid);
  return pods.placed
    .filter((pod) => nodes.has(pod.node) && isBroken(pod) && mayLeave(pod) && mayStop(pod.node))
    .filter(({ type }) => (pods.waiting.get(type) ?? []).some((pod) => !isOutdated(pod, pods)))
    .flatMap((pod) => evictPod(pod, 'its template has changed'));
}
