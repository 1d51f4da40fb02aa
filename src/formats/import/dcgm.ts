import { driftedProfile, unknownProfile, unresolvedGpu } from '../../demand/name-problems.js';
import { type Problem, problem } from '../../errors.js';
import { findGpuModel } from '../../gpu/find-gpu-model.js';
import { findProfile } from '../../gpu/find-profile.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import { type PrometheusSample, readPrometheusText } from './prometheus-text.js';

/** What DCGM saw of one GPU instance, or of a GPU without MIG, while one pod (or none that it knew) was on it. */
export interface DcgmInstance {
  readonly file: string;
  readonly line: number;
  /** Canonical name where the catalogue knows it, else as written. */
  readonly gpu: string;
  readonly profile: string;
  readonly uuid: string;
  /** The number of the GPU instance, no index; empty without MIG. */
  readonly instanceId: string;
  readonly hostname: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Largest value seen of each, absent when never measured. Memory in GiB, activity as a share of the instance (0 to 1). */
  readonly memoryGiB?: number;
  readonly smActive?: number;
  readonly smOccupancy?: number;
  readonly dramActive?: number;
  readonly tensorActive?: number;
}

const fields: Readonly<Record<string, { readonly key: MeasuredKey; readonly scale: number }>> = {
  DCGM_FI_DEV_FB_USED: { key: 'memoryGiB', scale: 1 / 1024 },
  DCGM_FI_PROF_SM_ACTIVE: { key: 'smActive', scale: 1 },
  DCGM_FI_PROF_SM_OCCUPANCY: { key: 'smOccupancy', scale: 1 },
  DCGM_FI_PROF_DRAM_ACTIVE: { key: 'dramActive', scale: 1 },
  DCGM_FI_PROF_PIPE_TENSOR_ACTIVE: { key: 'tensorActive', scale: 1 },
};

type MeasuredKey = 'memoryGiB' | 'smActive' | 'smOccupancy' | 'dramActive' | 'tensorActive';

/** DCGM writes "blank" as numbers just below 2^63 (and for 32-bit fields just below 2^31). */
const isBlank = (value: number) => value >= 9.2e18 || (value >= 2147483632 && value <= 2147483647);

/**
 * Reads files of the DCGM exporter and joins their series by GPU and GPU instance id. Profile names are matched by slices.
 * Series without a pod are kept, so that nothing that ran is missed; a name that the catalogue does not know stays as written.
 */
export async function readDcgm(
  files: readonly string[],
  catalogue: GpuCatalogue,
): Promise<{ readonly instances: readonly DcgmInstance[]; readonly notes: readonly Problem[] }> {
  const joined = new Map<string, Joined>();
  for (const file of files) {
    for await (const sample of readPrometheusText(file)) joinSample(sample, file, joined);
  }
  const notes: Problem[] = [];
  const instances: DcgmInstance[] = [];
  const told = new Set<string>();
  for (const { first, file, measured } of joined.values()) {
    const names = resolveNames(first, file, catalogue);
    const key = `${names.gpu}\n${first.labels.get('GPU_I_PROFILE') ?? ''}`;
    if (!told.has(key)) {
      notes.push(...names.notes);
      told.add(key);
    }
    const label = (...keys: readonly string[]) => keys.map((name) => first.labels.get(name)).find((text) => text !== undefined) ?? '';
    instances.push({
      file,
      line: first.line,
      gpu: names.gpu,
      profile: names.profile,
      uuid: label('UUID', 'uuid'),
      instanceId: label('GPU_I_ID'),
      hostname: label('hostname', 'Hostname'),
      namespace: label('namespace', 'exported_namespace'),
      pod: label('pod', 'exported_pod'),
      container: label('container', 'exported_container'),
      ...measured,
    });
  }
  return { instances, notes: [...notes, ...seriesWithoutPod(instances)] };
}

interface Joined {
  readonly file: string;
  readonly first: PrometheusSample;
  readonly measured: Partial<Record<MeasuredKey, number>>;
}

const identity = [
  'UUID',
  'uuid',
  'hostname',
  'Hostname',
  'GPU_I_ID',
  'GPU_I_PROFILE',
  'namespace',
  'pod',
  'container',
  'exported_namespace',
  'exported_pod',
  'exported_container',
];

function joinSample(sample: PrometheusSample, file: string, joined: Map<string, Joined>): void {
  const field = fields[sample.name];
  if (field === undefined) return;
  const key = identity.map((label) => sample.labels.get(label) ?? '').join('\n');
  const entry = joined.get(key) ?? { file, first: sample, measured: {} };
  joined.set(key, entry);
  if (Number.isNaN(sample.value) || isBlank(sample.value)) return;
  entry.measured[field.key] = Math.max(entry.measured[field.key] ?? 0, sample.value * field.scale);
}

function resolveNames({ labels, line }: PrometheusSample, file: string, catalogue: GpuCatalogue) {
  const written = { gpu: labels.get('modelName') ?? '', profile: labels.get('GPU_I_PROFILE') || 'full' };
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
