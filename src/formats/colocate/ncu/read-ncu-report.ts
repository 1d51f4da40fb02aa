import { createKernelTotals, type KernelLaunch, type KernelMetrics } from '../../../colocate/kernel-metrics.js';
import { inlayError, type Problem, problem } from '../../../errors.js';
import type { CsvRecord } from '../../csv-records.js';
import { parseMeasuredNumber } from '../../import/measured-number.js';
import { detailsMetrics, type NcuMetric, rawMetrics, unitFactor } from './ncu-metrics.js';
import { streamNcuRecords } from './stream-ncu-records.js';

/** What reports hold, and what was left out of them and why. */
export interface NcuReport {
  readonly metrics: KernelMetrics;
  readonly notes: readonly Problem[];
}

type Launch = { -readonly [Part in keyof KernelLaunch]: KernelLaunch[Part] };
type Totals = ReturnType<typeof createKernelTotals>;

/** What was seen but not used, with how often. */
interface Skipped {
  readonly counts: Map<string, number>;
  add(what: string): void;
}

/**
 * Reads Nsight Compute CSV (`ncu --csv`, details or raw page) and takes the mean over all launches of all files. With `range`
 * only launches inside that NVTX range count. Memory does not grow with the files. Throws InlayError when a file is no such
 * report or no launch is complete.
 */
export async function readNcuReports(files: readonly string[], range?: string): Promise<NcuReport> {
  const totals = createKernelTotals();
  const counts = new Map<string, number>();
  const skipped: Skipped = { counts, add: (what) => counts.set(what, (counts.get(what) ?? 0) + 1) };
  const missing = new Set<string>();
  for (const file of files) await readReport(file, range, totals, skipped, missing);
  const metrics = totals.finish();
  if (metrics === undefined) throw noLaunches(files, missing, skipped, range);
  const notes = [...counts].map(([what, count]) =>
    problem('PART_LEFT_OUT', { message: `Left out: ${count} × ${what}.`, file: files.join(', ') }),
  );
  return { metrics, notes };
}

async function readReport(file: string, range: string | undefined, totals: Totals, skipped: Skipped, missing: Set<string>): Promise<void> {
  let reader: ((record: CsvRecord) => void) | undefined;
  let finish = () => {};
  for await (const record of streamNcuRecords(file, (line) => skipped.add(line))) {
    if (record.fields[0] === 'ID') {
      finish();
      ({ read: reader, finish } = createReader(record, file, range, totals, skipped, missing));
    } else if (reader === undefined) skipped.add('line before the header');
    else reader(record);
  }
  finish();
  if (reader === undefined) throw noHeader(file);
}

function createReader(header: CsvRecord, file: string, range: string | undefined, totals: Totals, skipped: Skipped, missing: Set<string>) {
  const places = new Map(header.fields.map((name, index) => [name, index]));
  if (range !== undefined && ![...places.keys()].some(isNvtx)) throw noNvtx(file, header);
  const addLaunch = (launch: Launch) => {
    const lacking = totals.add(launch);
    for (const part of lacking) missing.add(part);
    if (lacking.length > 0) skipped.add(`launch without ${lacking.join(', ')}`);
  };
  const isOutside = (record: CsvRecord) =>
    range !== undefined && ![...places].some(([name, place]) => isNvtx(name) && record.fields[place]?.includes(range));
  const isDetails = places.has('Metric Name');
  return isDetails
    ? createDetailsReader(places, file, isOutside, addLaunch, skipped)
    : createRawReader(header, file, isOutside, addLaunch, skipped);
}

/** One line a metric; the lines of a launch follow each other. */
function createDetailsReader(
  places: ReadonlyMap<string, number>,
  file: string,
  isOutside: (record: CsvRecord) => boolean,
  addLaunch: (launch: Launch) => void,
  skipped: Skipped,
) {
  const text = (record: CsvRecord, column: string) => record.fields[places.get(column) ?? -1] ?? '';
  let id: string | undefined;
  let launch: Launch = {};
  const finish = () => {
    if (id !== undefined) addLaunch(launch);
    id = undefined;
  };
  const read = (record: CsvRecord) => {
    if (!/^\d+$/.test(record.fields[0] ?? '')) return skipped.add('line that is no metric');
    if (isOutside(record)) return skipped.add('line outside the NVTX range');
    const launchId = `${text(record, 'Process ID')}/${record.fields[0]}`;
    if (launchId !== id) {
      finish();
      id = launchId;
      launch = {};
    }
    if (text(record, 'Body Item Label') !== '') return skipped.add('line of a table or chart');
    const name = text(record, 'Metric Name');
    if (name === '') return skipped.add('rule');
    const metric = detailsMetrics[text(record, 'Section Name')]?.[name];
    if (metric === undefined || launch[metric.part] !== undefined) return;
    const place = places.get('Metric Value') ?? 0;
    const value = readValue(record, place, metric, text(record, 'Metric Unit'), file, skipped);
    if (value !== undefined) launch[metric.part] = value;
  };
  return { read, finish };
}

/** One line a launch; the line after the header has the units. */
function createRawReader(
  header: CsvRecord,
  file: string,
  isOutside: (record: CsvRecord) => boolean,
  addLaunch: (launch: Launch) => void,
  skipped: Skipped,
) {
  const columns = header.fields.flatMap((name, place) => {
    const metric = rawMetrics[name];
    return metric === undefined ? [] : [{ metric, place }];
  });
  let units: readonly string[] = [];
  const read = (record: CsvRecord) => {
    if (record.fields[0] === '') {
      units = record.fields;
      return;
    }
    if (!/^\d+$/.test(record.fields[0] ?? '')) return skipped.add('line that is no launch');
    if (isOutside(record)) return skipped.add('launch outside the NVTX range');
    const launch: Launch = {};
    for (const { metric, place } of columns) {
      if (launch[metric.part] !== undefined) continue;
      const value = readValue(record, place, metric, units[place] ?? '', file, skipped);
      if (value !== undefined) launch[metric.part] = value;
    }
    addLaunch(launch);
  };
  return { read, finish: () => {} };
}

function readValue(record: CsvRecord, place: number, metric: NcuMetric, unit: string, file: string, skipped: Skipped): number | undefined {
  const text = record.fields[place] ?? '';
  const parsed = parseMeasuredNumber(text);
  const value = parsed.kind === 'number' ? parsed.value : productOf(text);
  if (value === undefined || value < 0) {
    skipped.add(`value of ${metric.part} that is no number`);
    return undefined;
  }
  const factor = unitFactor(metric, unit);
  if (factor !== undefined) return value * factor;
  throw inlayError('UNKNOWN_UNIT', {
    message: `The unit ${JSON.stringify(unit)} of ${metric.part} is not known.`,
    file,
    ...record.locate(place),
    received: JSON.stringify(unit),
  });
}

/** The product of a size such as `(384, 1, 1)`. */
function productOf(text: string): number | undefined {
  const match = /^\((\d+), *(\d+), *(\d+)\)$/.exec(text.trim());
  return match === null ? undefined : Number(match[1]) * Number(match[2]) * Number(match[3]);
}

function isNvtx(column: string): boolean {
  return /nvtx|range/i.test(column);
}

function noHeader(file: string) {
  return inlayError('WRONG_KIND', {
    message: `${file} is no CSV report of Nsight Compute.`,
    file,
    expected: 'a line that begins with "ID",',
    hint: 'Export the report with `ncu --import REPORT.ncu-rep --csv --page details` (or raw).',
  });
}

function noNvtx(file: string, header: CsvRecord) {
  return inlayError('MISSING_COLUMN', {
    message: `${file} has no column of NVTX ranges.`,
    file,
    line: header.line,
    column: 1,
    expected: 'a report made with --nvtx',
    hint: 'Profile and export with --nvtx, or leave out --nvtx here.',
  });
}

function noLaunches(files: readonly string[], missing: ReadonlySet<string>, skipped: Skipped, range: string | undefined) {
  const names = files.join(', ');
  if (missing.size > 0) {
    const message = `No kernel launch of ${names} is complete: ${[...missing].join(', ')} ${missing.size === 1 ? 'is' : 'are'} missing.`;
    return inlayError('METRIC_MISSING', { message, file: names });
  }
  const seen = [...skipped.counts].map(([what, count]) => `${count} × ${what}`).join(', ');
  const where = range === undefined ? '' : ` inside the NVTX range ${range}`;
  return inlayError('NO_ROWS', {
    message: `${names} has no kernel launch${where}.`,
    file: names,
    received: seen === '' ? 'nothing' : seen,
  });
}
