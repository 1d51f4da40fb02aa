import type { GpuModel, LayoutRules, MediaEngines, MigProfile } from './gpu-model.js';

/** Which rule a set of instances breaks. */
export type BrokenRule = 'unknown-profile' | 'start' | 'memory-slices' | 'compute-slices' | 'max-count' | 'media-engines' | '4g-with-3g';

/** Why instances cannot sit on one GPU together. */
export interface IllegalLayout {
  readonly kind: 'illegal';
  readonly rule: BrokenRule;
  /** One sentence in the user's words: what is exhausted, by what. */
  readonly reason: string;
  /** Memory slices that are wanted but taken, ascending; absent when another rule decides. */
  readonly memorySlices?: readonly number[];
  /** What to do about it. */
  readonly hint?: string;
}

const engineNames: Readonly<Record<keyof MediaEngines, string>> = {
  decoder: 'video decoders (NVDEC)',
  encoder: 'video encoders (NVENC)',
  jpeg: 'JPEG decoders',
  opticalFlow: 'optical flow accelerators (OFA)',
};

/**
 * The first rule, other than placement, that these instances break together on one GPU: driver rule, most of one kind,
 * compute slices, media engines. Undefined when all hold. Removing an instance never breaks a rule.
 */
export function findBrokenRule(model: GpuModel, profiles: readonly MigProfile[], rules: LayoutRules = {}): IllegalLayout | undefined {
  return (
    breaks4gWith3g(profiles, rules) ??
    breaksMaxCount(model, profiles) ??
    breaksComputeSlices(model, profiles) ??
    breaksMediaEngines(model, profiles)
  );
}

function breaks4gWith3g(profiles: readonly MigProfile[], rules: LayoutRules): IllegalLayout | undefined {
  if (rules.forbid4gWith3g !== true) return undefined;
  const four = profiles.find((profile) => profile.computeSlices === 4);
  const three = profiles.find((profile) => profile.computeSlices === 3);
  if (four === undefined || three === undefined) return undefined;
  return {
    kind: 'illegal',
    rule: '4g-with-3g',
    reason: `${four.name} and ${three.name} may not share a GPU under the rule forbid4gWith3g.`,
    hint: 'Drivers R510 and newer allow a 4g beside a 3g; drop the rule if your driver does.',
  };
}

function breaksMaxCount(model: GpuModel, profiles: readonly MigProfile[]): IllegalLayout | undefined {
  const counts = new Map<string, number>();
  for (const profile of profiles) counts.set(profile.name, (counts.get(profile.name) ?? 0) + 1);
  for (const profile of profiles) {
    const count = counts.get(profile.name) ?? 0;
    if (count > profile.maxCount) {
      return {
        kind: 'illegal',
        rule: 'max-count',
        reason: `One ${model.name} holds at most ${profile.maxCount} × ${profile.name}, not ${count}.`,
      };
    }
  }
  return undefined;
}

function breaksComputeSlices(model: GpuModel, profiles: readonly MigProfile[]): IllegalLayout | undefined {
  const used = profiles.reduce((sum, profile) => sum + profile.computeSlices, 0);
  if (used <= model.computeSlices) return undefined;
  return {
    kind: 'illegal',
    rule: 'compute-slices',
    reason: `${listProfiles(profiles)} need ${used} compute slices; ${model.name} has ${model.computeSlices}.`,
  };
}

function breaksMediaEngines(model: GpuModel, profiles: readonly MigProfile[]): IllegalLayout | undefined {
  for (const engine of Object.keys(engineNames) as (keyof MediaEngines)[]) {
    const holders = profiles.filter((profile) => profile.engines[engine] > 0);
    const used = holders.reduce((sum, profile) => sum + profile.engines[engine], 0);
    if (used > model.engines[engine]) {
      return {
        kind: 'illegal',
        rule: 'media-engines',
        reason: `${listProfiles(holders)} need ${used} ${engineNames[engine]}; ${model.name} has ${model.engines[engine]}.`,
        hint: 'Use the profile without media engines for the others, where the GPU has one.',
      };
    }
  }
  return undefined;
}

/** Instances as a person would list them: `2 × 3g.20gb and 1g.5gb`, in the order of first appearance. */
function listProfiles(profiles: readonly MigProfile[]): string {
  const counts = new Map<string, number>();
  for (const { name } of profiles) counts.set(name, (counts.get(name) ?? 0) + 1);
  const parts = [...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`));
  const last = parts.pop() ?? 'nothing';
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}
