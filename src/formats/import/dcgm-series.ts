import { type InlayError, inlayError } from '../../errors.js';
import { limits } from '../limits.js';
import { type PrometheusSample, readPrometheusText } from './prometheus-text.js';
import { createTextCopies } from './text-copies.js';

/** What the exporter measured while one pod (or none that it knew) was on one GPU instance; names as written. */
export interface DcgmSeries {
  readonly file: string;
  /** Of its first sample. */
  readonly line: number;
  readonly gpu: string;
  /** Empty without MIG. */
  readonly profile: string;
  readonly uuid: string;
  /** The number of the GPU instance, no index; empty without MIG. */
  readonly instanceId: string;
  readonly hostname: string;
  /** Empty where the exporter knew no pod. */
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly measured: DcgmMeasured;
}

/** Largest value seen of each, absent when never measured. Memory in GiB, activity as a share of the instance (0 to 1). */
export interface DcgmMeasured {
  memoryGiB?: number;
  smActive?: number;
  smOccupancy?: number;
  dramActive?: number;
  tensorActive?: number;
}

const fields: Readonly<Record<string, { readonly key: keyof DcgmMeasured; readonly scale: number }>> = {
  DCGM_FI_DEV_FB_USED: { key: 'memoryGiB', scale: 1 / 1024 },
  DCGM_FI_PROF_SM_ACTIVE: { key: 'smActive', scale: 1 },
  DCGM_FI_PROF_SM_OCCUPANCY: { key: 'smOccupancy', scale: 1 },
  DCGM_FI_PROF_DRAM_ACTIVE: { key: 'dramActive', scale: 1 },
  DCGM_FI_PROF_PIPE_TENSOR_ACTIVE: { key: 'tensorActive', scale: 1 },
};

/** DCGM writes "blank" as numbers just below 2^63 (and for 32-bit fields just below 2^31). */
const isBlank = (value: number) => value >= 9.2e18 || (value >= 2147483632 && value <= 2147483647);

/**
 * Labels of each part, the one to prefer first: Prometheus puts the pod of the exporter itself into `pod` and renames the one that the
 * exporter wrote.
 */
const labels = {
  gpu: ['modelName'],
  profile: ['GPU_I_PROFILE'],
  uuid: ['UUID', 'uuid'],
  instanceId: ['GPU_I_ID'],
  hostname: ['hostname', 'Hostname'],
  namespace: ['exported_namespace', 'namespace'],
  pod: ['exported_pod', 'pod'],
  container: ['exported_container', 'container'],
} as const;

type Labelled = { readonly [part in keyof typeof labels]: string };

/** Reads files of the DCGM exporter and joins their series by GPU, GPU instance id and pod. Throws InlayError for a file without any. */
export async function joinDcgmSeries(files: readonly string[]): Promise<readonly DcgmSeries[]> {
  const joined = new Map<string, DcgmSeries>();
  const texts = createTextCopies();
  for (const file of files) {
    let samples = 0;
    for await (const sample of readPrometheusText(file)) {
      const field = fields[sample.name];
      if (field === undefined) continue;
      samples += 1;
      const { gpu, ...identity } = readLabels(sample);
      const key = Object.values(identity).map(texts.numberOf).join(' ');
      let series = joined.get(key);
      if (series === undefined) {
        if (joined.size === limits.dcgmInstances.value) throw tooMany(file, sample.line);
        const copies = Object.fromEntries(Object.entries({ gpu, ...identity }).map(([part, text]) => [part, texts.copyOf(text)]));
        series = { file, line: sample.line, ...(copies as Labelled), measured: {} };
        joined.set(key, series);
      }
      if (Number.isNaN(sample.value) || isBlank(sample.value)) continue;
      series.measured[field.key] = Math.max(series.measured[field.key] ?? 0, sample.value * field.scale);
    }
    if (samples === 0) throw noMetric(file);
  }
  return [...joined.values()];
}

function readLabels(sample: PrometheusSample): Labelled {
  const parts = Object.entries(labels).map(([part, names]) => [
    part,
    names.map((name) => sample.labels.get(name)).find((text) => text !== undefined) ?? '',
  ]);
  return Object.fromEntries(parts) as Labelled;
}

function noMetric(file: string): InlayError {
  return inlayError('NO_ROWS', {
    message: `${file} holds none of the metrics that are read.`,
    file,
    line: 1,
    column: 1,
    expected: Object.keys(fields).join(', '),
    hint: 'Save what the DCGM exporter answers at /metrics.',
  });
}

function tooMany(file: string, line: number): InlayError {
  return inlayError('TOO_MANY', {
    message: 'There are too many GPU instances and pods.',
    file,
    line,
    column: 1,
    expected: `at most ${limits.dcgmInstances.value}`,
  });
}
