import { inlayError } from '../errors.js';
import type { GpuModel, MigProfile } from '../gpu/gpu-model.js';

/** The model of that very name; plans hold canonical names. Throws UNKNOWN_GPU. */
export function findPlanModel(models: readonly GpuModel[], name: string): GpuModel {
  const model = models.find((candidate) => candidate.name === name);
  if (model === undefined)
    throw inlayError('UNKNOWN_GPU', { message: `The plan names a GPU model that is not known: ${name}.`, received: name });
  return model;
}

/** The profile of that very name, `full` included. Throws UNKNOWN_PROFILE. */
export function findPlanProfile(model: GpuModel, name: string): MigProfile {
  const profile = [model.full, ...model.profiles].find((candidate) => candidate.name === name);
  if (profile === undefined) {
    throw inlayError('UNKNOWN_PROFILE', { message: `The plan names a profile that ${model.name} does not have: ${name}.`, received: name });
  }
  return profile;
}
