import { ownProfile } from './base-profiles.js';
import { builtInCatalogue } from './catalogue.js';
import type { GpuModel, Layout, MigProfile } from './gpu-model.js';

/** A built-in GPU model by canonical name. */
export function aGpu(name: string): GpuModel {
  const model = builtInCatalogue.models.find((known) => known.name === name);
  if (model === undefined) throw new Error(`no GPU model ${name}`);
  return model;
}

/** Profiles of a model by name, repeated as written: `profilesOf(gpu, '3g.20gb', '3g.20gb')`. */
export function profilesOf(model: GpuModel, ...names: readonly string[]): readonly MigProfile[] {
  return names.map((name) => {
    const profile = ownProfile(model, name);
    if (profile === undefined) throw new Error(`no profile ${name} on ${model.name}`);
    return profile;
  });
}

/** A layout as people write it: `aLayout(gpu, '1g.5gb@0 2g.10gb@2')`. */
export function aLayout(model: GpuModel, text: string): Layout {
  return text
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', start = ''] = part.split('@');
      const [profile] = profilesOf(model, name);
      if (profile === undefined) throw new Error(`no instance in ${part}`);
      return { profile, start: Number(start) };
    });
}
