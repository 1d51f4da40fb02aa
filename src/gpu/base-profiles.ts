import type { GpuModel, MigProfile } from './gpu-model.js';

/** The profiles of a plain cut: no double-memory, media or graphics variants. Smallest first; empty for a GPU without MIG. */
export function baseProfiles(model: GpuModel): readonly MigProfile[] {
  return model.profiles.filter((profile) => profile.variant === 'base');
}

/** The model's own profile of exactly that name, `full` included. */
export function ownProfile(model: GpuModel, name: string): MigProfile | undefined {
  return name === model.full.name ? model.full : model.profiles.find((profile) => profile.name === name);
}
