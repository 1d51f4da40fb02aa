import { inlayError, problem } from '../../errors.js';
import type { CsvRecord } from '../csv-records.js';
import type { ImportSink, MeasurementFile } from './import-sink.js';
import { findLatencyColumn, type LatencyColumn, missingLatency, requireColumn } from './latency-column.js';
import { type LoadPoint, latencyOf } from './load-point.js';
import { createMeasuredCells, type MeasuredCells } from './measured-cells.js';
import { streamCsvRecords } from './stream-csv-records.js';

/** Columns that exist and say nothing a row needs; further ones are noted. */
const knownColumns =
  /^(Concurrency|Request Rate|Inferences\/Second|Response Throughput|Client (Send|Recv)|Network\+Server Send\/Recv|Server (Queue|Compute( (Input|Infer|Output))?|Cache (Hit|Miss))|(p[\d.]+|Avg) latency|request\/response|send\/recv|response wait|(Avg GPU (Utilization|Power Usage)|Max GPU Memory Usage|Total GPU Memory))$/i;

const bytesPerGiB = 1024 ** 3;

interface SweepTable {
  readonly names: readonly string[];
  readonly loadKind: string;
  readonly throughput: number;
  readonly latency: LatencyColumn;
  /** -1 when it was not collected. */
  readonly memory: number;
}

/**
 * Reads perf_analyzer's CSV files (`-f`), of concurrency and request-rate sweeps, with or without server columns and
 * `--verbose-csv`. Latencies are in µs. Tables that follow for the composing models of an ensemble are left out.
 */
export async function readPerfAnalyzer(files: readonly MeasurementFile[], sink: ImportSink): Promise<void> {
  for (const { file } of files) await readSweeps(file, sink);
}

async function readSweeps(file: string, sink: ImportSink): Promise<void> {
  const cells = createMeasuredCells(file, sink);
  let table: SweepTable | 'left-out' | undefined;
  let tables = 0;
  let rows = 0;
  let partName: string | undefined;
  for await (const record of streamCsvRecords(file)) {
    const first = cells.text(record, 0);
    if (/^name\b/i.test(first) && tables > 0) {
      partName = first.replace(/^name\s*:?\s*/i, '') || cells.text(record, 1);
      table = undefined;
    } else if (/^(Concurrency|Request Rate)$/i.test(first)) {
      table = readHeader(record, file, partName, tables === 0, sink);
      tables += 1;
      partName = undefined;
    } else if (table === undefined) {
      throw noHeader(file, record);
    } else if (table !== 'left-out') {
      rows += 1;
      const point = cells.hasWidth(record, table.names.length) ? readPoint(record, table, cells, file) : undefined;
      if (point !== undefined) sink.keep(point);
    }
  }
  if (rows > 0 || table === 'left-out') return;
  const message = tables === 0 ? `${file} is empty.` : `${file} has no row below its header.`;
  throw inlayError('NO_ROWS', {
    message,
    file,
    line: 1,
    column: 1,
    expected: 'the CSV of perf_analyzer -f',
    hint: 'Check that the file is complete.',
  });
}

function readHeader(
  header: CsvRecord,
  file: string,
  partName: string | undefined,
  isFirst: boolean,
  sink: ImportSink,
): SweepTable | 'left-out' {
  const names = header.fields.map((name) => name.trim());
  const latency = findLatencyColumn(names, sink.percentile, 'us');
  if (!isFirst && (partName !== undefined || latency === undefined)) {
    const whose =
      partName === undefined ? 'A further table without the chosen latency' : `The table of ${partName}, a part of an ensemble,`;
    sink.note(problem('PART_LEFT_OUT', { message: `${whose} is left out.`, file, line: header.line, column: 1 }));
    return 'left-out';
  }
  const throughput = requireColumn(names, 'Inferences/Second', file, header);
  if (latency === undefined) {
    sink.refuse(missingLatency(names, sink.percentile, file, header));
    return 'left-out';
  }
  const unknown = names.filter((name) => !knownColumns.test(name));
  if (unknown.length > 0) {
    const message = `Columns that are not used: ${unknown.map((name) => name || '(no name)').join(', ')}.`;
    sink.note(problem('COLUMN_IGNORED', { message, file, line: header.line }));
  }
  return { names, loadKind: (names[0] ?? '').toLowerCase(), throughput, latency, memory: names.indexOf('Max GPU Memory Usage') };
}

function readPoint(record: CsvRecord, table: SweepTable, cells: MeasuredCells, file: string): LoadPoint | undefined {
  const load = cells.number(record, 0, table.names[0] ?? '');
  const throughputRps = cells.number(record, table.throughput, 'Inferences/Second');
  const latency = cells.number(record, table.latency.index, table.latency.name);
  if (load === undefined || throughputRps === undefined || latency === undefined) return undefined;
  const memoryGiB = table.memory < 0 ? undefined : readMemoryGiB(cells.text(record, table.memory));
  return {
    file,
    line: record.line,
    stated: {},
    load: { kind: table.loadKind, value: load },
    throughputRps: throughputRps || 0,
    latency: latencyOf(latency * table.latency.msPer),
    ...(memoryGiB === undefined ? {} : { memoryGiB }),
    remarks: [],
  };
}

/** `UUID:bytes;`: known only when one GPU was watched, because nothing says on which of several the model ran. */
function readMemoryGiB(text: string): number | undefined {
  const [only, ...others] = text.split(';').filter((part) => part.trim() !== '');
  const bytes = Number(only?.slice(only.lastIndexOf(':') + 1));
  return others.length === 0 && bytes > 0 && Number.isFinite(bytes) ? bytes / bytesPerGiB : undefined;
}

function noHeader(file: string, record: CsvRecord) {
  return inlayError('SYNTAX', {
    message: `${file} does not begin with the header of a perf_analyzer table.`,
    file,
    ...record.locate(0),
    expected: 'Concurrency or Request Rate, then Inferences/Second',
    received: JSON.stringify(record.fields.join(',').slice(0, 60)),
    hint: 'Import the CSV that perf_analyzer writes with -f.',
  });
}
