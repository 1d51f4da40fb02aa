import { isOutdated, type LocatedPod } from './locate-pods.js';
import { evictPod, giveSpareSlots, type PodScene } from './move-pods.js';
import type { Write } from './write.js';

/**
 * Replaces pods of an older template one by one while a plan stands: an outdated pod is evicted where its service keeps its floor
 * without it; where it would not, the new pod first gets an idle slice of the same size, and goes there only for that time.
 */
export function renewPods(scene: PodScene): Write[] {
  const { pods, floors, mayStop } = scene;
  const outdated = pods.placed.filter((pod) => !pod.terminating && isOutdated(pod, pods));
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
