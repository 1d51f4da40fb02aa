import type { StateGpu, StateInstance } from '../../demand/documents/state.js';
import type { Violation } from '../verify-report.js';
import type { Instance } from './contents.js';
import type { Replay } from './replay.js';
import { findKnownProfile, type KnownGpu, podOf, type TransitionFacts } from './transition-facts.js';

/** After the last step every GPU holds what the target lists for it. */
export function checkTarget(facts: TransitionFacts, { contents }: Replay): readonly Violation[] {
  const targets = new Map(facts.transition.target.gpus.map((gpu) => [gpu.id, gpu]));
  return [...facts.gpus.values()].flatMap((known) => {
    const at = contents.get(known.id);
    const expected = describe((targets.get(known.id)?.instances ?? absentInstances(known)).map((stated) => nameStated(stated, known)));
    const received = describe(at ? [...at.instances.values()].map(nameInstance) : known.before.map((stated) => nameStated(stated, known)));
    return expected === received
      ? []
      : [{ where: known.id, message: `${known.id}: the steps do not end in the target.`, expected, received }];
  });
}

/** What a GPU that the target does not list holds: nothing, unless others hold it. */
function absentInstances({ gpu, before }: KnownGpu): StateGpu['instances'] {
  return gpu.reserved === true ? [...before] : before.filter(({ reserved }) => reserved === true);
}

function nameInstance({ profile, start, reserved, pod }: Instance): string {
  return nameParts(profile.name, start, reserved, pod);
}

function nameStated(stated: StateInstance, { pool }: KnownGpu): string {
  const profile = (pool && findKnownProfile(pool, stated.profile)?.name) ?? stated.profile;
  return nameParts(profile, stated.start, stated.reserved === true, podOf(stated));
}

function nameParts(profile: string, start: number, reserved: boolean, pod: ReturnType<typeof podOf>): string {
  // What others run inside an instance they hold is theirs alone.
  const content = reserved ? 'reserved' : pod === undefined ? 'idle' : `${pod.service} ${pod.batch}×${pod.processes}`;
  return `${profile}@${start} ${content}`;
}

function describe(instances: readonly string[]): string {
  return [...instances].sort().join(', ') || 'nothing';
}
