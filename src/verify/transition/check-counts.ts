import type { TransitionCounts } from '../../demand/documents/transition.js';
import type { Violation } from '../verify-report.js';
import type { Replay } from './replay.js';
import { findKnownProfile, podOf, type TransitionFacts } from './transition-facts.js';

/** Every count is what the replay found. */
export function checkCounts(facts: TransitionFacts, replay: Replay): readonly Violation[] {
  const { counts } = facts.transition;
  return Object.entries(countChanges(facts, replay)).flatMap(([name, expected]) => {
    const received = counts[name as keyof TransitionCounts];
    const where = `counts.${name}`;
    return expected === received
      ? []
      : [{ where, message: `${where}: is not what the steps do.`, expected: String(expected), received: String(received) }];
  });
}

function countChanges(facts: TransitionFacts, { contents, wiped }: Replay): TransitionCounts {
  const { steps } = facts.transition;
  const stepsOf = (kind: string) => steps.filter((step) => step.kind === kind).length;
  const layouts = steps.flatMap((step) => (step.kind === 'wipe-gpu' ? step.layout : []));
  const removed = [...wiped.values()].reduce((sum, instances) => sum + instances.length, 0);
  const pods = countPods(contents);
  return {
    kept: pods.kept,
    podStarts: stepsOf('start-pod'),
    restartsInPlace: pods.inPlace,
    moves: pods.moves,
    temporaryPods: stepsOf('start-pod') - pods.started,
    instanceCreations: stepsOf('create-instance') + layouts.length,
    instanceDeletions: stepsOf('delete-instance') + removed,
    wipes: stepsOf('wipe-gpu'),
    gpusTouched: new Set(steps.map(({ gpu }) => gpu)).size,
  };
}

/** Compares the pods of the start with those of the end, GPU by GPU and place by place. */
function countPods(contents: Replay['contents']) {
  let kept = 0;
  let inPlace = 0;
  let started = 0;
  /** By service: pods that ended for good, pods that are new elsewhere. */
  const gone = new Map<string, number>();
  const come = new Map<string, number>();
  const add = (counts: Map<string, number>, service: string, amount: number) => counts.set(service, (counts.get(service) ?? 0) + amount);
  for (const { known, pool, instances } of contents.values()) {
    const before = new Map<string, string>();
    for (const stated of known.before) {
      const pod = stated.reserved === true ? undefined : podOf(stated);
      if (pod === undefined) continue;
      before.set(`${findKnownProfile(pool, stated.profile)?.name}@${stated.start}`, pod.service);
      add(gone, pod.service, 1);
    }
    for (const { profile, start, pod } of instances.values()) {
      if (pod === undefined) continue;
      const wasHere = before.get(`${profile.name}@${start}`) === pod.service;
      if (wasHere) add(gone, pod.service, -1);
      if (pod.kept) kept++;
      else started++;
      if (!pod.kept && wasHere) inPlace++;
      if (!pod.kept && !wasHere) add(come, pod.service, 1);
    }
  }
  const moves = [...come].reduce((sum, [service, count]) => sum + Math.min(count, gone.get(service) ?? 0), 0);
  return { kept, inPlace, started, moves };
}
