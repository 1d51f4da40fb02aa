import { type Problem, problem } from '../errors.js';
import type { GpuModelSearch } from '../gpu/find-gpu-model.js';
import type { GpuModel } from '../gpu/gpu-model.js';
import { didYouMean } from './did-you-mean.js';

/** Where a name was written: a path into a document, or a row of a table. */
export type NamePlace = Pick<Problem, 'path' | 'file' | 'line'>;

/** Says why a GPU name means no one model. */
export function unresolvedGpu(found: Exclude<GpuModelSearch, { kind: 'found' }>, name: string, place: NamePlace, where = ''): Problem {
  if (found.kind === 'ambiguous') {
    return problem('AMBIGUOUS_GPU', {
      message: `${name} may be several GPU models${where}.`,
      ...place,
      expected: found.candidates.join(' or '),
      received: name,
    });
  }
  return problem('UNKNOWN_GPU', {
    message: `The GPU model ${name} is not known.`,
    ...place,
    expected: 'a name that `inlay gpus` lists',
    received: name,
    ...hintOf(found.suggestions),
  });
}

/** Says that a GPU model has no such profile, and which it has. */
export function unknownProfile(gpu: GpuModel, name: string, suggestions: readonly string[], place: NamePlace, where = ''): Problem {
  return problem('UNKNOWN_PROFILE', {
    message: `${gpu.name} has no MIG profile ${name}${where}.`,
    ...place,
    expected: [...gpu.profiles, gpu.full].map((profile) => profile.name).join(', '),
    received: name,
    ...hintOf(suggestions),
  });
}

/** Says that a profile was matched by its slices although its name differs. */
export function driftedProfile(gpu: GpuModel, name: string, meant: string, place: NamePlace): Problem {
  return problem('PROFILE_NAME_DRIFT', { message: `${name} is taken for ${meant} of ${gpu.name}.`, ...place });
}

/** Words for a fault that many rows share and that is told at the first of them. */
export function inManyRows(rows: number): string {
  return rows === 1 ? '' : ` (in ${rows} rows, the first is here)`;
}

function hintOf(suggestions: readonly string[]): { readonly hint?: string } {
  const hint = didYouMean(suggestions);
  return hint === undefined ? {} : { hint };
}
