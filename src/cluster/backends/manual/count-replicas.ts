import type { TransitionDocument } from '../../../demand/documents/transition.js';
import { typeKey } from '../../decide/own-pods.js';
import type { ModelOfGpu } from '../../decide/planned-types.js';

/** Pods of a type before the first step and after the last. */
export interface Replicas {
  readonly before: number;
  readonly after: number;
}

/** How many pods of each type there are before and after a transition. */
export function countReplicas({ steps, target }: TransitionDocument, modelOf: ModelOfGpu): ReadonlyMap<string, Replicas> {
  const counts = new Map<string, { before: number; after: number }>();
  const at = (type: string) => {
    const found = counts.get(type) ?? { before: 0, after: 0 };
    counts.set(type, found);
    return found;
  };
  for (const { id, reserved, instances } of target.gpus) {
    for (const { service, profile, batch = 1, processes = 1, reserved: held } of instances) {
      if (service === null || reserved === true || held === true) continue;
      const count = at(typeKey({ service, gpuModel: modelOf(id), profile, batch, processes }));
      count.after++;
      count.before++;
    }
  }
  for (const step of steps) {
    if (step.kind === 'start-pod') at(typeKey({ ...step, gpuModel: modelOf(step.gpu) })).before--;
    if (step.kind === 'stop-pod') at(typeKey({ ...step, gpuModel: modelOf(step.gpu) })).before++;
  }
  return counts;
}
