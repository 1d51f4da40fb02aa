import { type Problem, problem } from '../errors.js';
import type { GpuCatalogue, GpuModel, MediaEngines, MigProfile } from './gpu-model.js';
import { findBrokenRule } from './placement-rules.js';

/**
 * Everything that is wrong with a GPU model as a table: slices outside the GPU, counts that cannot be reached, names used
 * twice. `path` is where the model stands in its document. Built-in models and a user's are held to the same rules.
 */
export function checkGpuModel(model: GpuModel, path: string): readonly Problem[] {
  const problems = model.profiles.flatMap((profile, index) => checkProfile(model, profile, `${path}.profiles[${index}]`));
  for (const [index, { name }] of model.profiles.entries()) {
    const first = model.profiles.findIndex((profile) => profile.name.toLowerCase() === name.toLowerCase());
    if (name === model.full.name || first < index) {
      const message =
        name === model.full.name ? 'The name full is kept for the whole GPU.' : `${model.name} has two profiles named ${name}.`;
      problems.push(problem('DUPLICATE_NAME', { message, path: `${path}.profiles[${index}].name` }));
    }
  }
  return problems;
}

/** Names, products and plain models across a catalogue: each name once, each product to one model, each variant of a model that exists. */
export function checkGpuCatalogue(catalogue: GpuCatalogue): readonly Problem[] {
  const problems: Problem[] = [];
  const seen = new Map<string, string>();
  for (const [index, model] of catalogue.models.entries()) {
    const path = `spec.models[${index}]`;
    for (const name of [model.name, ...model.products]) {
      const other = seen.get(name.toLowerCase());
      if (other !== undefined)
        problems.push(problem('DUPLICATE_NAME', { message: `${name} names both ${other} and ${model.name}.`, path }));
      seen.set(name.toLowerCase(), model.name);
    }
    const plain = model.variantOf;
    if (plain !== undefined && !catalogue.models.some((other) => other.name === plain && other.variantOf === undefined)) {
      problems.push(
        problem('UNKNOWN_GPU', { message: `${model.name} is a variant of ${plain}, which is no plain model.`, path: `${path}.variantOf` }),
      );
    }
  }
  return problems;
}

function checkProfile(model: GpuModel, profile: MigProfile, path: string): Problem[] {
  const problems: Problem[] = [];
  const wrong = (key: string, message: string, expected: string, received: string) =>
    problems.push(
      problem('INVALID_VALUE', { message: `${profile.name} of ${model.name}: ${message}`, path: `${path}.${key}`, expected, received }),
    );
  if (profile.computeSlices > model.computeSlices) {
    wrong('computeSlices', 'more compute slices than the GPU has.', `at most ${model.computeSlices}`, `${profile.computeSlices}`);
  }
  for (const [index, start] of profile.starts.entries()) {
    if (start + profile.memorySlices > model.memorySlices) {
      const last = model.memorySlices - profile.memorySlices;
      wrong(
        `starts[${index}]`,
        'the instance would reach beyond the last memory slice.',
        last < 0 ? 'no start is possible' : `at most ${last}`,
        `${start}`,
      );
    }
    if (profile.starts.indexOf(start) < index) wrong(`starts[${index}]`, 'the same start twice.', 'each start once', `${start}`);
  }
  if (profile.memoryMiB.value > model.full.memoryMiB.value) {
    wrong('memoryMiB', 'more memory than the GPU has.', `at most ${model.full.memoryMiB.value}`, `${profile.memoryMiB.value}`);
  }
  for (const engine of Object.keys(profile.engines) as (keyof MediaEngines)[]) {
    if (profile.engines[engine] > model.engines[engine]) {
      wrong(`engines.${engine}`, 'more engines than the GPU has.', `at most ${model.engines[engine]}`, `${profile.engines[engine]}`);
    }
  }
  const most = countMost(model, profile);
  if (problems.length === 0 && profile.maxCount > most) {
    wrong('maxCount', 'so many never fit at these starts.', `at most ${most}`, `${profile.maxCount}`);
  }
  return problems;
}

/** Most instances of one profile that the starts, compute slices and engines of a GPU allow, whatever `maxCount` says. */
export function countMost(model: GpuModel, profile: MigProfile): number {
  const unlimited = { ...profile, maxCount: Number.POSITIVE_INFINITY };
  const held: MigProfile[] = [];
  let free = 0;
  for (const start of [...profile.starts].sort((a, b) => a - b)) {
    if (start < free) continue;
    held.push(unlimited);
    if (findBrokenRule(model, held) !== undefined) return held.length - 1;
    free = start + profile.memorySlices;
  }
  return held.length;
}
