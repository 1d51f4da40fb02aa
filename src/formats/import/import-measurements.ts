import { InlayError, inlayError, type Problem, problem } from '../../errors.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import { limits } from '../limits.js';
import { readAiperf } from './aiperf.js';
import { checkImportedRows, type ImportedPoint } from './check-imported-rows.js';
import { createSweepCollector } from './collect-sweeps.js';
import type { DcgmInstance } from './dcgm.js';
import { findDcgmInstance, refuseOtherHardware } from './find-dcgm-instance.js';
import { fillGaps, type GivenSetting } from './given-setting.js';
import type { ImportSink, MeasurementFile, MeasurementReader } from './import-sink.js';
import type { ImportedRow } from './imported-row.js';
import { describeLoad, describePercentile, type Percentile } from './load-point.js';
import { readMlperf } from './mlperf.js';
import { type BatchesOf, readModelAnalyzer } from './model-analyzer.js';
import { readPerfAnalyzer } from './perf-analyzer.js';
import { readHead } from './read-head.js';
import { readSideFile } from './read-side-file.js';
import { recognizeFormat } from './recognize-format.js';
import { readVllm } from './vllm.js';

/** Formats whose measurements become rows of a performance table. */
export type ImportFormat = 'perf-analyzer' | 'model-analyzer' | 'aiperf' | 'vllm' | 'mlperf';

/** What to import and what is known of it beyond the files. */
export interface ImportRequest {
  readonly format: ImportFormat;
  readonly files: readonly string[];
  readonly catalogue: GpuCatalogue;
  /** Wins over side files. What DCGM says otherwise is refused. */
  readonly given?: GivenSetting;
  /** Side file of all files; without it each file's own is looked for. */
  readonly sideFile?: string | undefined;
  /** Which latency becomes `latency_ms`; default 99. */
  readonly percentile?: Percentile;
  /** Whether runs at saturation may become rows, their `latency_ms` derived from the throughput; default false. */
  readonly saturation?: boolean;
  /** Model Analyzer only; default `server`. */
  readonly batchesOf?: BatchesOf;
  /** Metrics of the DCGM exporter, taken while measuring: GPU model, profile and memory of the instance on which `pod` ran. */
  readonly dcgm?: string | undefined;
  readonly pod?: string | undefined;
}

/** The rows of an import, and what should be known of them. */
export interface ImportResult {
  readonly rows: readonly ImportedRow[];
  readonly notes: readonly Problem[];
}

/**
 * Reads measurement files of one format into rows of a performance table: of every load sweep the point of highest throughput
 * whose latency is finite. Rows stand in the order in which their settings first appear. Throws InlayError with every problem.
 */
export async function importMeasurements(request: ImportRequest): Promise<ImportResult> {
  const { format, percentile = 99, saturation = false } = request;
  const problems: Problem[] = [];
  const notes: Problem[] = [];
  const collect = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof InlayError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  };

  const { dcgm, pod, catalogue } = request;
  const seen = dcgm === undefined ? undefined : await collect(() => findDcgmInstance(dcgm, pod, catalogue));
  const instance = seen?.instance;
  notes.push(...(seen?.notes ?? []));
  const files: MeasurementFile[] = [];
  for (const file of request.files) {
    const entry = await collect(() => openMeasurement(file, request, instance));
    if (entry !== undefined) files.push(entry);
  }
  if (problems.length > 0) throw new InlayError(problems);

  const refuse = (entry: Problem) => {
    problems.push(entry);
    if (problems.length >= limits.problems.value) throw new InlayError(problems.splice(0));
  };
  const answers = { percentile, saturation, refuse, note: (entry: Problem) => notes.push(entry) };
  const sweeps = createSweepCollector(files, catalogue, answers);
  const sink: ImportSink = { ...answers, keep: sweeps.keep };
  // Only Model Analyzer spreads one measurement over two files.
  const batches = format === 'model-analyzer' ? [files] : files.map((entry) => [entry]);
  for (const batch of batches) await collect(() => readerOf(request)(batch, sink));
  const points = sweeps.finish();
  if (points.length === 0 && problems.length === 0) problems.push(noRows(request.files));
  if (problems.length > 0) throw new InlayError(problems);

  const rows = points.map((point) => toRow(point, { request, percentile, files, instance }));
  notes.push(...checkImportedRows(points), ...memoryUnknown(rows, notes));
  return { rows, notes };
}

function readerOf({ format, batchesOf = 'server' }: ImportRequest): MeasurementReader {
  switch (format) {
    case 'perf-analyzer':
      return readPerfAnalyzer;
    case 'model-analyzer':
      return (files, sink) => readModelAnalyzer(files, sink, batchesOf);
    case 'aiperf':
      return readAiperf;
    case 'vllm':
      return readVllm;
    case 'mlperf':
      return readMlperf;
  }
}

async function openMeasurement(file: string, request: ImportRequest, instance: DcgmInstance | undefined): Promise<MeasurementFile> {
  const found = recognizeFormat(await readHead(file));
  if (found !== undefined && found.format !== request.format) {
    const hint = found.hint ?? `Use \`inlay import ${found.format}\`.`;
    throw inlayError('WRONG_FORMAT', {
      message: `${file} is ${found.words}.`,
      file,
      line: 1,
      column: 1,
      expected: request.format,
      received: found.format ?? found.words,
      hint,
    });
  }
  const given = fillGaps(request.given ?? {}, await readSideFile(file, request.sideFile));
  if (instance === undefined) return { file, given };
  refuseOtherHardware(given, instance, request.catalogue);
  return { file, given: fillGaps(given, { gpu: instance.gpu, profile: instance.profile }) };
}

interface RowContext {
  readonly request: ImportRequest;
  readonly percentile: Percentile;
  readonly files: readonly MeasurementFile[];
  readonly instance: DcgmInstance | undefined;
}

function toRow({ setting, point, latencyMs }: ImportedPoint, { percentile, files, instance }: RowContext): ImportedRow {
  const { model, gpu, profile, batch, processes, tokens } = setting;
  const given = files.find((entry) => entry.file === point.file)?.given.memoryGiB;
  const used = point.memoryGiB ?? instance?.memoryGiB;
  const memoryGiB = given ?? (used === undefined || used === 0 ? undefined : Number((used / processes).toPrecision(6)));
  const latency = point.latency.kind === 'saturated' ? 'latency = batch × processes ÷ throughput' : describePercentile(percentile);
  const lengths = tokens === undefined ? [] : [`prompt ${Math.round(tokens.prompt)}, response ${Math.round(tokens.response)} tokens`];
  const source = [`${point.file}:${point.line} ${describeLoad(point.load)}`, latency, ...lengths, ...point.remarks].join('; ');
  const row = { model, gpu: gpu.name, profile: profile.name, batch, processes, throughputRps: point.throughputRps, latencyMs, source };
  return memoryGiB === undefined ? row : { ...row, memoryGiB };
}

function memoryUnknown(rows: readonly ImportedRow[], notes: readonly Problem[]): readonly Problem[] {
  const count = rows.filter((row) => row.memoryGiB === undefined).length;
  if (count === 0 || notes.some((entry) => entry.code === 'MEMORY_UNKNOWN')) return [];
  return [
    problem('MEMORY_UNKNOWN', { message: `${count} of ${rows.length} rows do not say the memory of a process; plans do not check it.` }),
  ];
}

function noRows(files: readonly string[]): Problem {
  return problem('NO_ROWS', {
    message: 'The files hold no measurement.',
    ...(files[0] === undefined ? {} : { file: files[0] }),
    line: 1,
    column: 1,
  });
}
