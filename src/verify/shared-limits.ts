import type { GpuModel, LayoutRules, MediaEngines, MigProfile } from '../gpu/gpu-model.js';

const engines = ['decoder', 'encoder', 'jpeg', 'opticalFlow'] as const satisfies readonly (keyof MediaEngines)[];

/** A limit of a whole GPU that its instances exceed together, wherever they sit. */
export interface ExceededLimit {
  readonly what: string;
  readonly allowed: number;
  readonly used: number;
}

/** The first limit that instances of these profiles exceed on one GPU: compute slices, instances of one profile, media engines, 4g beside 3g. */
export function findExceededLimit(model: GpuModel, profiles: readonly MigProfile[], rules: LayoutRules): ExceededLimit | undefined {
  const compute = profiles.reduce((sum, profile) => sum + profile.computeSlices, 0);
  if (compute > model.computeSlices) return { what: 'compute slices', allowed: model.computeSlices, used: compute };
  for (const profile of profiles) {
    const used = profiles.filter(({ name }) => name === profile.name).length;
    if (used > profile.maxCount) return { what: `instances of ${profile.name}`, allowed: profile.maxCount, used };
  }
  for (const engine of engines) {
    const used = profiles.reduce((sum, profile) => sum + profile.engines[engine], 0);
    if (used > model.engines[engine]) return { what: `media engines (${engine})`, allowed: model.engines[engine], used };
  }
  if (rules.forbid4gWith3g === true) {
    const beside = profiles.filter(({ computeSlices }) => computeSlices === 3).length;
    if (beside > 0 && profiles.some(({ computeSlices }) => computeSlices === 4)) {
      return { what: '3g instances beside a 4g (forbid4gWith3g)', allowed: 0, used: beside };
    }
  }
  return undefined;
}
