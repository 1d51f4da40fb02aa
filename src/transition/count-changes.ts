import type { TransitionCounts } from '../demand/documents/transition.js';
import type { DraftStep, StepTime } from './draft-step.js';
import type { Fleet } from './fleet.js';
import type { DraftTransition } from './write-waves.js';

/** How much steps change. */
export function countChanges({ steps, gpus }: DraftTransition, fleet: Fleet): TransitionCounts {
  const before = listPods(fleet);
  const stopped = new Set(steps.flatMap(({ kind, gpu, start }) => (kind === 'stop-pod' ? [`${gpu} ${start}`] : [])));
  const gone = new Map<string, number>();
  const come = new Map<string, number>();
  const add = (counts: Map<string, number>, service: string, amount: number): void =>
    void counts.set(service, (counts.get(service) ?? 0) + amount);
  for (const { service } of before.values()) add(gone, service, 1);
  let kept = 0;
  let started = 0;
  let restartsInPlace = 0;
  for (const { id, instances } of gpus) {
    for (const { profile, start, pod } of instances) {
      if (pod === undefined) continue;
      const old = before.get(`${id} ${start}`);
      const wasHere = old?.service === pod.name && old.profile === profile.name;
      const isKept = wasHere && !stopped.has(`${id} ${start}`);
      if (wasHere) add(gone, pod.name, -1);
      else add(come, pod.name, 1);
      if (isKept) kept++;
      else started++;
      if (wasHere && !isKept) restartsInPlace++;
    }
  }
  const countKind = (kind: DraftStep['kind']): number => steps.filter((step) => step.kind === kind).length;
  const wipes = steps.filter(({ kind }) => kind === 'wipe-gpu');
  return {
    kept,
    podStarts: countKind('start-pod'),
    restartsInPlace,
    moves: [...come].reduce((sum, [service, count]) => sum + Math.min(count, gone.get(service) ?? 0), 0),
    temporaryPods: countKind('start-pod') - started,
    instanceCreations: countKind('create-instance') + wipes.reduce((sum, { layout }) => sum + (layout?.length ?? 0), 0),
    instanceDeletions: countKind('delete-instance') + wipes.reduce((sum, { removes }) => sum + (removes ?? 0), 0),
    wipes: wipes.length,
    gpusTouched: new Set(steps.map(({ gpu }) => gpu)).size,
  };
}

function listPods({ gpus, types }: Fleet): ReadonlyMap<string, { readonly service: string; readonly profile: string }> {
  return new Map(
    gpus.flatMap(({ id, instances }) =>
      instances.flatMap(({ start, profile, type }): [string, { service: string; profile: string }][] => {
        const pod = types.list[type];
        return pod === undefined ? [] : [[`${id} ${start}`, { service: pod.name, profile: profile.name }]];
      }),
    ),
  );
}

/** Most GPUs at any moment that are being wiped or have an instance that is not reserved. */
export function peakGpus({ steps }: DraftTransition, times: readonly StepTime[], fleet: Fleet): number {
  const present = new Map(fleet.gpus.map(({ id, instances }) => [id, instances.filter(({ reserved }) => !reserved).length]));
  const events = steps.flatMap(
    (
      { kind, gpu, layout },
      index,
    ): { readonly at: number; readonly isEnd: boolean; readonly gpu: string; readonly change: (now: number) => number }[] => {
      const { startS, endS } = times[index] as StepTime;
      if (kind === 'create-instance') return [{ at: startS, isEnd: false, gpu, change: (now) => now + 1 }];
      if (kind === 'delete-instance') return [{ at: endS, isEnd: true, gpu, change: (now) => now - 1 }];
      if (kind !== 'wipe-gpu') return [];
      return [
        { at: startS, isEnd: false, gpu, change: () => 1 },
        { at: endS, isEnd: true, gpu, change: () => layout?.length ?? 0 },
      ];
    },
  );
  events.sort((a, b) => a.at - b.at || Number(b.isEnd) - Number(a.isEnd));
  let used = [...present.values()].filter((count) => count > 0).length;
  let peak = used;
  for (const { gpu, change } of events) {
    const now = present.get(gpu) ?? 0;
    const next = change(now);
    present.set(gpu, next);
    used += Number(next > 0) - Number(now > 0);
    peak = Math.max(peak, used);
  }
  return peak;
}
