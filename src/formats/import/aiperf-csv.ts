import { inlayError } from '../../errors.js';
import type { CsvRecord } from '../csv-records.js';
import { type AiperfMetric, type AiperfRun, aiperfMetrics, percentOf } from './aiperf-run.js';
import type { ImportSink } from './import-sink.js';
import { createMeasuredCells, type MeasuredCells } from './measured-cells.js';
import { streamCsvRecords } from './stream-csv-records.js';

/**
 * Reads the CSV summaries of AIPerf and GenAI-Perf: blocks with their own header, statistics (`Metric,avg,min,…,p99`) and single
 * values (`Metric,Value`), with the unit in the metric's name.
 */
export async function readAiperfCsv(file: string, sink: ImportSink): Promise<AiperfRun> {
  const cells = createMeasuredCells(file, sink);
  const metrics = new Map<string, AiperfMetric>();
  let names: readonly string[] | undefined;
  for await (const record of streamCsvRecords(file)) {
    const first = cells.text(record, 0);
    if (/^metric$/i.test(first)) {
      names = record.fields.map((name) => name.trim().toLowerCase());
    } else if (names === undefined) {
      throw noHeader(file, record);
    } else if (isBlockOfMetrics(names) && cells.hasWidth(record, names.length)) {
      const title = /^(.*?)\s*(?:\(([^)]*)\))?$/.exec(first);
      const name = (title?.[1] ?? first).trim().toLowerCase().replaceAll(' ', '_');
      if (!isRead.has(name)) continue;
      const earlier = metrics.get(name);
      if (earlier !== undefined) throw severalRuns(first, earlier.line, file, record);
      metrics.set(name, readMetric(record, first, title?.[2], names, cells));
    }
  }
  if (metrics.size === 0) {
    throw inlayError('NO_ROWS', {
      message: `${file} holds no metric.`,
      file,
      line: 1,
      column: 1,
      expected: 'Metric,avg,…, then one line a metric',
    });
  }
  return { metrics, cancelled: false };
}

const isRead: ReadonlySet<string> = new Set(aiperfMetrics);

/** Further blocks, such as those of GPU telemetry, have other columns. */
function isBlockOfMetrics(names: readonly string[]): boolean {
  return names.includes('avg') || names[1] === 'value';
}

function readMetric(
  record: CsvRecord,
  title: string,
  unit: string | undefined,
  names: readonly string[],
  cells: MeasuredCells,
): AiperfMetric {
  const percentiles = new Map<number, number>();
  let mean: number | undefined;
  for (const [index, column] of names.entries()) {
    const percent = percentOf(column);
    const isMean = column === 'avg' || column === 'value';
    if (percent === undefined && !isMean) continue;
    const value = cells.number(record, index, `${title} ${column}`);
    if (value === undefined || Number.isNaN(value)) continue;
    if (percent !== undefined) percentiles.set(percent, value);
    else mean = value;
  }
  return { unit, mean, percentiles, line: record.line, column: 1 };
}

function severalRuns(title: string, earlierLine: number, file: string, record: CsvRecord) {
  return inlayError('CONFLICTING_ROWS', {
    message: `${title} is there twice; the other is ${file}:${earlierLine}.`,
    file,
    ...record.locate(0),
    expected: 'one run a file',
    hint: 'Import the file of each run on its own.',
  });
}

function noHeader(file: string, record: CsvRecord) {
  return inlayError('SYNTAX', {
    message: `${file} does not begin with the header of a metrics table.`,
    file,
    ...record.locate(0),
    expected: 'Metric,avg,min,max,… or Metric,Value',
    received: JSON.stringify(record.fields.join(',').slice(0, 60)),
    hint: 'Import profile_export_aiperf.csv or profile_export_genai_perf.csv.',
  });
}
