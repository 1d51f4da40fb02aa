import { driftedProfile, unknownProfile, unresolvedGpu } from '../demand/name-problems.js';
import { InlayError, inlayError, type Problem } from '../errors.js';
import { findGpuModel } from '../gpu/find-gpu-model.js';
import { findProfile } from '../gpu/find-profile.js';
import type { GpuCatalogue, GpuModel, Layout, MigProfile } from '../gpu/gpu-model.js';

/** The most instances that one request may name: more than any fleet holds. */
const mostInstances = 10_000;

/** The GPU model that a name on the command line means. Throws InlayError when there is none, or several. */
export function resolveGpu(catalogue: GpuCatalogue, name: string): GpuModel {
  const found = findGpuModel(catalogue, name);
  if (found.kind !== 'found') throw new InlayError([unresolvedGpu(found, name, {})]);
  return found.model;
}

/** Profiles by name, and a note for every name that was matched by its slices. Throws InlayError with all unknown names. */
export function resolveProfiles(
  gpu: GpuModel,
  names: readonly string[],
): { readonly profiles: readonly MigProfile[]; readonly notes: readonly Problem[] } {
  const problems: Problem[] = [];
  const notes: Problem[] = [];
  const profiles: MigProfile[] = [];
  for (const name of names) {
    const found = findProfile(gpu, name);
    if (found.kind === 'unknown') problems.push(unknownProfile(gpu, name, found.suggestions, {}));
    else profiles.push(found.profile);
    if (found.kind === 'found' && found.drifted === true) notes.push(driftedProfile(gpu, name, found.profile.name, {}));
  }
  if (problems.length > 0) throw new InlayError(problems);
  return { profiles, notes };
}

/** The instances that `PROFILE[xN]...` asks for, such as `3g.40gb 1g.10gbx4`. Throws InlayError on anything else. */
export function resolveInstances(gpu: GpuModel, requests: readonly string[]): ReturnType<typeof resolveProfiles> {
  const parsed = requests.map((request) => {
    const match = /^(?<name>.+?)(?:x(?<count>\d+))?$/i.exec(request);
    const count = Number(match?.groups?.['count'] ?? 1);
    if (match === null || count === 0) {
      throw inlayError('USAGE', {
        message: `${request} asks for nothing.`,
        expected: 'PROFILE or PROFILExN, such as 1g.10gbx4',
        received: request,
      });
    }
    return { name: match.groups?.['name'] ?? '', count };
  });
  const { profiles, notes } = resolveProfiles(
    gpu,
    parsed.map(({ name }) => name),
  );
  const total = parsed.reduce((sum, { count }) => sum + count, 0);
  if (total > mostInstances) {
    const message = `More than ${mostInstances} instances were asked for.`;
    throw inlayError('TOO_MANY', { message, expected: `at most ${mostInstances}`, received: `${total}`, hint: 'Split the request.' });
  }
  return { profiles: profiles.flatMap((profile, index) => Array<MigProfile>(parsed[index]?.count ?? 0).fill(profile)), notes };
}

/** The placed instances that `PROFILE@START,...` names. Throws InlayError on anything else. */
export function resolvePlaced(gpu: GpuModel, placed: readonly string[]): { readonly layout: Layout; readonly notes: readonly Problem[] } {
  const parsed = placed.map((text) => {
    const match = /^(?<name>.+)@(?<start>\d{1,2})$/.exec(text);
    if (match === null) {
      throw inlayError('USAGE', {
        message: `${text} is no placed instance.`,
        expected: 'PROFILE@START, such as 1g.10gb@4',
        received: text,
      });
    }
    return { name: match.groups?.['name'] ?? '', start: Number(match.groups?.['start']) };
  });
  const { profiles, notes } = resolveProfiles(
    gpu,
    parsed.map(({ name }) => name),
  );
  return { layout: profiles.map((profile, index) => ({ profile, start: parsed[index]?.start ?? 0 })), notes };
}
