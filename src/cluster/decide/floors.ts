import type { LocatedPod, Pods } from './locate-pods.js';

/** Watches over what services must deliver while pods are taken away: one call after the other within one decision. */
export interface Floors {
  /** Whether a pod may go now; a yes counts as gone for what is asked later. */
  release(pod: LocatedPod): boolean;
  /** As `release` for all of them or none. */
  releaseAll(pods: readonly LocatedPod[]): boolean;
  readyRps(service: string): number;
}

/** Ready throughput by service from what is observed, and what must stay of it. Pods without a floor may always go. */
export function watchFloors(pods: Pods, floorRps: ReadonlyMap<string, number>): Floors {
  const ready = new Map<string, number>();
  const capacityOf = ({ type }: LocatedPod): number => pods.capacityRps.get(type) ?? 0;
  for (const pod of pods.placed) {
    if (pod.ready && !pod.terminating) ready.set(pod.service, (ready.get(pod.service) ?? 0) + capacityOf(pod));
  }
  const release = (pod: LocatedPod): boolean => {
    if (!pod.ready || pod.terminating) return true;
    const left = (ready.get(pod.service) ?? 0) - capacityOf(pod);
    const floor = floorRps.get(pod.service) ?? 0;
    // Sums of many throughputs differ in their last digits.
    if (left < floor - 1e-9 * Math.max(1, floor)) return false;
    ready.set(pod.service, left);
    return true;
  };
  return {
    release,
    releaseAll(all) {
      const before = new Map(ready);
      if (all.every(release)) return true;
      for (const [service, rps] of before) ready.set(service, rps);
      return false;
    },
    readyRps: (service) => ready.get(service) ?? 0,
  };
}
