import { inlayError } from '../../errors.js';
import type { CsvRecord } from '../csv-records.js';
import { type AiperfMetric, type AiperfRun, percentOf } from './aiperf-run.js';
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
      const [name, metric] = readMetric(record, first, names, cells);
      metrics.set(name, metric);
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

/** Further blocks, such as those of GPU telemetry, have other columns. */
function isBlockOfMetrics(names: readonly string[]): boolean {
  return names.includes('avg') || names[1] === 'value';
}

function readMetric(record: CsvRecord, title: string, names: readonly string[], cells: MeasuredCells): readonly [string, AiperfMetric] {
  const match = /^(.*?)\s*(?:\(([^)]*)\))?$/.exec(title);
  const name = (match?.[1] ?? title).trim().toLowerCase().replaceAll(' ', '_');
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
  return [name, { unit: match?.[2], mean, percentiles, line: record.line, column: 1 }];
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
