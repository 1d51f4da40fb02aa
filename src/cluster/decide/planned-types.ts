import type { TransitionDocument } from '../../demand/documents/transition.js';
import { type PodType, typeKey } from './own-pods.js';

/** What a plan has of one type of pods. */
export interface PlannedType extends PodType {
  readonly capacityRps: number;
}

/** GPU model of a GPU by its id; empty for a GPU that is not there any more. */
export type ModelOfGpu = (gpu: string) => string;

/** The models of the GPUs that there are, and of those of a transition's target: its steps name GPUs by id alone. */
export function nameModels(
  { target }: Pick<TransitionDocument, 'target'>,
  gpus: Iterable<{ readonly id: string; readonly type: string }>,
): ModelOfGpu {
  const models = new Map(target.gpus.map(({ id, type }) => [id, type]));
  for (const { id, type } of gpus) models.set(id, type);
  return (gpu) => models.get(gpu) ?? '';
}

/** Throughput of every type of pod that a transition speaks of, by type. */
export function listTypes({ steps, target }: TransitionDocument, modelOf: ModelOfGpu): ReadonlyMap<string, PlannedType> {
  const types = new Map<string, PlannedType>();
  const add = (type: PlannedType) => types.set(typeKey(type), type);
  for (const step of steps) {
    if (step.kind !== 'start-pod' && step.kind !== 'stop-pod') continue;
    const { gpu, service, profile, batch, processes, capacityRps } = step;
    add({ service, gpuModel: modelOf(gpu), profile, batch, processes, capacityRps });
  }
  for (const { id, reserved, instances } of target.gpus) {
    for (const { service, profile, batch = 1, processes = 1, capacityRps = 0, reserved: held } of instances) {
      if (service === null || reserved === true || held === true) continue;
      add({ service, gpuModel: modelOf(id), profile, batch, processes, capacityRps });
    }
  }
  return types;
}
