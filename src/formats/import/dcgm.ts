import { driftedProfile, unknownProfile, unresolvedGpu } from '../../demand/name-problems.js';
import { type Problem, problem } from '../../errors.js';
import { findGpuModel } from '../../gpu/find-gpu-model.js';
import { findProfile } from '../../gpu/find-profile.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import { type DcgmMeasured, type DcgmSeries, joinDcgmSeries } from './dcgm-series.js';

/**
 * What DCGM saw of one GPU instance, or of a GPU without MIG, while one pod (or none that it knew) was on it. GPU and profile have their
 * canonical names where the catalogue knows them; without MIG the profile is `full`.
 */
export interface DcgmInstance extends Omit<DcgmSeries, 'measured'>, Readonly<DcgmMeasured> {}

/**
 * Reads files of the DCGM exporter and joins their series by GPU and GPU instance id. Profile names are matched by slices.
 * Series without a pod are kept, so that nothing that ran is missed; a name that the catalogue does not know stays as written.
 */
export async function readDcgm(
  files: readonly string[],
  catalogue: GpuCatalogue,
): Promise<{ readonly instances: readonly DcgmInstance[]; readonly notes: readonly Problem[] }> {
  const notes: Problem[] = [];
  const resolved = new Map<string, Names>();
  const instances: DcgmInstance[] = [];
  for (const { measured, ...series } of await joinDcgmSeries(files)) {
    const key = `${series.gpu}\n${series.profile}`;
    let names = resolved.get(key);
    if (names === undefined) {
      names = resolveNames(series, catalogue);
      resolved.set(key, names);
      notes.push(...names.notes);
    }
    instances.push({ ...series, gpu: names.gpu, profile: names.profile, ...measured });
  }
  return { instances, notes: [...notes, ...seriesWithoutPod(instances)] };
}

interface Names {
  readonly gpu: string;
  readonly profile: string;
  readonly notes: readonly Problem[];
}

function resolveNames({ file, line, ...series }: Omit<DcgmSeries, 'measured'>, catalogue: GpuCatalogue): Names {
  const written = { gpu: series.gpu, profile: series.profile || 'full' };
  const place = { file, line, column: 1 };
  const gpu = findGpuModel(catalogue, written.gpu);
  if (gpu.kind !== 'found') return { ...written, notes: [unresolvedGpu(gpu, written.gpu, place)] };
  const profile = findProfile(gpu.model, written.profile);
  if (profile.kind !== 'found') {
    return {
      gpu: gpu.model.name,
      profile: written.profile,
      notes: [unknownProfile(gpu.model, written.profile, profile.suggestions, place)],
    };
  }
  const notes = profile.drifted === true ? [driftedProfile(gpu.model, written.profile, profile.profile.name, place)] : [];
  return { gpu: gpu.model.name, profile: profile.profile.name, notes };
}

function seriesWithoutPod(instances: readonly DcgmInstance[]): readonly Problem[] {
  const without = instances.filter((instance) => instance.pod === '');
  const [first] = without;
  if (first === undefined) return [];
  const shown = without
    .slice(0, 10)
    .map(({ uuid, instanceId, profile }) => `${uuid}${instanceId === '' ? '' : ` instance ${instanceId}`} (${profile})`);
  const more = without.length > shown.length ? `, and ${without.length - shown.length} more` : '';
  const message = `No pod is named for ${shown.join(', ')}${more}.`;
  return [
    problem('PART_LEFT_OUT', {
      message,
      file: first.file,
      line: first.line,
      column: 1,
      hint: 'They are in the list; check the pod mapping of the exporter.',
    }),
  ];
}
