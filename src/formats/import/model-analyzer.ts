import { inlayError, problem } from '../../errors.js';
import type { CsvRecord } from '../csv-records.js';
import type { ImportSink, MeasurementFile } from './import-sink.js';
import { findLatencyColumn, type LatencyColumn, missingLatency, requireColumn } from './latency-column.js';
import { type LoadPoint, latencyOf, type StatedSetting } from './load-point.js';
import { createMeasuredCells, type MeasuredCells } from './measured-cells.js';
import { createMeasuredMemory, type MeasuredMemory, readGpuMemory } from './model-analyzer-memory.js';
import { streamCsvRecords } from './stream-csv-records.js';

/** Whose batches a row is about: those that the client sends, or the largest that the server can form of them. */
export type BatchesOf = 'client' | 'server';

/**
 * Reads Model Analyzer's tables: the inference table, and memory from the GPU table, in any order. On GPUs with MIG the GPU
 * table is empty, which means that memory is unknown.
 */
export async function readModelAnalyzer(files: readonly MeasurementFile[], sink: ImportSink, batchesOf: BatchesOf): Promise<void> {
  const inference: string[] = [];
  const memory = createMeasuredMemory();
  for (const { file } of files) {
    const header = await firstRecord(file);
    const names = header?.fields.map((name) => name.trim()) ?? [];
    if (names.includes('Throughput (infer/sec)')) inference.push(file);
    else if (header === undefined || names.includes('GPU UUID')) await readGpuMemory(file, memory, sink);
    else throw notInference(file, header);
  }
  const [first] = files;
  if (inference.length === 0 && first !== undefined) throw noInference(first.file);
  for (const file of inference) await readInference(file, memory, sink, batchesOf);
}

async function firstRecord(file: string): Promise<CsvRecord | undefined> {
  for await (const record of streamCsvRecords(file)) return record;
  return undefined;
}

interface InferenceTable {
  readonly names: readonly string[];
  readonly model: number;
  readonly batch: number;
  readonly load: number;
  readonly throughput: number;
  readonly latency: LatencyColumn;
  /** -1 where the table does not have them. */
  readonly config: number;
  readonly instances: number;
  readonly maxBatch: number;
}

async function readInference(file: string, memory: MeasuredMemory, sink: ImportSink, batchesOf: BatchesOf): Promise<void> {
  const cells = createMeasuredCells(file, sink);
  let table: InferenceTable | undefined;
  let derivedNoted = false;
  let rows = 0;
  for await (const record of streamCsvRecords(file)) {
    if (table === undefined) {
      table = readHeader(record, file, sink);
      if (table === undefined) return;
      continue;
    }
    rows += 1;
    if (!cells.hasWidth(record, table.names.length)) continue;
    const point = readPoint(record, table, cells, { file, memory, sink, batchesOf });
    if (point === undefined) continue;
    if (!derivedNoted && point.remarks.length > 0) {
      derivedNoted = true;
      const message = 'batch is the largest that the server can form of the requests in flight, up to Max Batch Size.';
      const hint = 'If dynamic batching was off, pass --batches client.';
      sink.note(problem('VALUE_DERIVED', { message, file, ...record.locate(table.maxBatch), hint }));
    }
    sink.keep(point);
  }
  if (rows > 0) return;
  const message = `${file} has no row below its header.`;
  throw inlayError('NO_ROWS', { message, file, line: 1, column: 1, expected: 'measurements', hint: 'Check that the file is complete.' });
}

function readHeader(header: CsvRecord, file: string, sink: ImportSink): InferenceTable | undefined {
  const names = header.fields.map((name) => name.trim());
  const latency = findLatencyColumn(names, sink.percentile);
  const load = names.findIndex((name) => name === 'Concurrency' || name === 'Request Rate');
  const table = {
    names,
    model: requireColumn(names, 'Model', file, header),
    batch: requireColumn(names, 'Batch', file, header),
    load: load >= 0 ? load : requireColumn(names, 'Concurrency', file, header),
    throughput: requireColumn(names, 'Throughput (infer/sec)', file, header),
    config: names.indexOf('Model Config Path'),
    instances: names.indexOf('Instance Group'),
    maxBatch: names.indexOf('Max Batch Size'),
  };
  if (latency !== undefined) return { ...table, latency };
  sink.refuse(missingLatency(names, sink.percentile, file, header));
  return undefined;
}

interface Context {
  readonly file: string;
  readonly memory: MeasuredMemory;
  readonly sink: ImportSink;
  readonly batchesOf: BatchesOf;
}

function readPoint(record: CsvRecord, table: InferenceTable, cells: MeasuredCells, context: Context): LoadPoint | undefined {
  const { file, memory, sink, batchesOf } = context;
  const clientBatch = cells.number(record, table.batch, 'Batch');
  const load = cells.number(record, table.load, table.names[table.load] ?? '');
  const throughputRps = cells.number(record, table.throughput, 'Throughput (infer/sec)');
  const latency = cells.number(record, table.latency.index, table.latency.name);
  const maxBatch = table.maxBatch < 0 ? 0 : cells.number(record, table.maxBatch, 'Max Batch Size');
  const instances = table.instances < 0 ? {} : readInstances(record, table.instances, file, sink);
  if (clientBatch === undefined || load === undefined || throughputRps === undefined || latency === undefined) return undefined;
  if (maxBatch === undefined || instances === undefined) return undefined;

  const loadName = (table.names[table.load] ?? '').toLowerCase();
  const inFlight = loadName === 'concurrency' ? (load * clientBatch) / (instances.processes ?? 1) : Number.POSITIVE_INFINITY;
  const serverBatch = Math.min(maxBatch || 0, Math.ceil(inFlight));
  const forms = batchesOf === 'server' && serverBatch > clientBatch;
  const model = cells.text(record, table.model);
  const config = table.config < 0 ? '' : cells.text(record, table.config);
  const used = memory.find({ model, batch: cells.text(record, table.batch), config, load: cells.text(record, table.load) });
  const stated: StatedSetting = { model, batch: forms ? serverBatch : clientBatch, ...instances };
  return {
    file,
    line: record.line,
    stated,
    load: { kind: [config, `client batch ${clientBatch}`, loadName].filter((part) => part !== '').join(', '), value: load },
    throughputRps: throughputRps || 0,
    latency: latencyOf(latency * table.latency.msPer),
    ...(used === undefined ? {} : { memoryGiB: used }),
    remarks: forms ? ['batch formed by the server'] : [],
  };
}

/** `2:GPU` or `2/GPU`: two instances on the GPU. Several groups are not one number, so processes have to be given. */
function readInstances(record: CsvRecord, index: number, file: string, sink: ImportSink): { readonly processes?: number } | undefined {
  const text = (record.fields[index] ?? '').trim();
  const match = /^(\d+)\s*[:/]\s*GPU$/i.exec(text);
  if (match !== null && Number(match[1]) > 0) return { processes: Number(match[1]) };
  if (!/CPU/i.test(text)) return {};
  const message = `The row was measured on the CPU (Instance Group ${text}).`;
  sink.refuse(problem('RUN_REFUSED', { message, file, ...record.locate(index), expected: 'GPU', received: text }));
  return undefined;
}

function notInference(file: string, header: CsvRecord) {
  return inlayError('SYNTAX', {
    message: `${file} does not begin with the header of a Model Analyzer table.`,
    file,
    ...header.locate(0),
    expected: 'Model, Batch, Concurrency, …, Throughput (infer/sec)',
    received: JSON.stringify(header.fields.join(',').slice(0, 60)),
    hint: 'Import metrics-model-inference.csv and metrics-model-gpu.csv.',
  });
}

function noInference(file: string) {
  return inlayError('NO_ROWS', {
    message: 'None of the files is an inference table of Model Analyzer.',
    file,
    line: 1,
    column: 1,
    expected: 'metrics-model-inference.csv',
    hint: 'Import metrics-model-inference.csv, and beside it metrics-model-gpu.csv.',
  });
}
