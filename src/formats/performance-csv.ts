import { entryOf } from '../demand/entry-of.js';
import type { RawPerformanceRow } from '../demand/raw-performance-row.js';
import { type Problem, problem } from '../errors.js';
import { type CsvRecord, CsvSyntaxError, readCsvRecords } from './csv-records.js';
import { describeValue } from './describe-value.js';
import { limits } from './limits.js';
import { type PerformanceColumn, performanceColumns, readTableHeader } from './performance-columns.js';

/** What a performance table holds: the rows that are right, and everything that is to be said about the others. */
export interface PerformanceTable {
  readonly rows: readonly RawPerformanceRow[];
  readonly problems: readonly Problem[];
  /** Ignored columns and rows that did not run. */
  readonly notes: readonly Problem[];
}

/**
 * Parses a performance table. Columns are found by name; `processes` missing or empty means 1, `mig_profile` empty means
 * `full`, and a row whose throughput is 0 or empty did not run. `file` names the table in problems and row sources.
 */
export function parsePerformanceCsv(text: string, file: string, maxRows: number = limits.tableRows.value): PerformanceTable {
  try {
    return readTable(readCsvRecords(text), file, maxRows);
  } catch (error) {
    if (!(error instanceof CsvSyntaxError)) throw error;
    return {
      rows: [],
      problems: [problem('SYNTAX', { message: `The table is not valid CSV: ${error.message}.`, file, ...error.position })],
      notes: [],
    };
  }
}

function readTable(records: Generator<CsvRecord>, file: string, maxRows: number): PerformanceTable {
  const first = records.next();
  if (first.done === true) return { rows: [], problems: [noRows(file, 'The table is empty.')], notes: [] };
  const { indices, problems: headerProblems, notes } = readTableHeader(first.value, file);
  if (headerProblems.length > 0) return { rows: [], problems: headerProblems, notes };

  const width = first.value.fields.length;
  const rows: RawPerformanceRow[] = [];
  const problems: Problem[] = [];
  let didNotRun = 0;

  const keep = createInterner();
  const textOf = (record: CsvRecord, index: number) => (record.fields[index] ?? '').trim();
  const readName = (record: CsvRecord, index: number, column: PerformanceColumn) => {
    const name = textOf(record, index);
    if (name === '') problems.push(wrongField(file, record, index, column, 'a name'));
    return keep(name);
  };
  const readNumber = (record: CsvRecord, index: number, column: PerformanceColumn) => {
    const value = parseNumber(textOf(record, index));
    if (value >= column.min && value <= column.max && (!column.whole || Number.isInteger(value))) return value;
    problems.push(wrongField(file, record, index, column, rangeOf(column)));
    return Number.NaN;
  };

  for (const record of records) {
    if (problems.length >= limits.problems.value) break;
    if (rows.length === maxRows) {
      problems.push(tooManyRows(file, record.line, maxRows));
      break;
    }
    if (record.fields.length !== width) {
      problems.push(wrongWidth(file, record, width));
      continue;
    }
    const throughput = textOf(record, indices.throughputRps);
    if (throughput === '' || parseNumber(throughput) === 0) {
      didNotRun += 1;
      continue;
    }
    const faultsBefore = problems.length;
    const row = {
      model: readName(record, indices.model, performanceColumns.model),
      gpu: readName(record, indices.gpu, performanceColumns.gpu),
      profile: keep(textOf(record, indices.profile) || 'full'),
      batch: readNumber(record, indices.batch, performanceColumns.batch),
      processes: textOf(record, indices.processes) === '' ? 1 : readNumber(record, indices.processes, performanceColumns.processes),
      throughputRps: readNumber(record, indices.throughputRps, performanceColumns.throughputRps),
      latencyMs: readNumber(record, indices.latencyMs, performanceColumns.latencyMs),
      source: { file, line: record.line },
    };
    const memoryGiB =
      textOf(record, indices.memoryGiB) === '' ? undefined : readNumber(record, indices.memoryGiB, performanceColumns.memoryGiB);
    if (problems.length === faultsBefore) rows.push(memoryGiB === undefined ? row : { ...row, memoryGiB });
  }
  if (rows.length === 0 && problems.length === 0) {
    problems.push(noRows(file, didNotRun === 0 ? 'The table has no row.' : 'No row of the table ran: every throughput is 0 or empty.'));
  }
  return { rows, problems, notes: didNotRun === 0 ? notes : [...notes, rowsDidNotRun(file, didNotRun)] };
}

/** Equal texts become one string, so that a million rows do not keep three million copies of a few names. */
function createInterner(): (text: string) => string {
  const kept = new Map<string, string>();
  return (text) => entryOf(kept, text, () => text);
}

/** NaN for anything but a decimal number: also for hexadecimal, which Number would take. Infinity falls out of every range. */
function parseNumber(text: string): number {
  return text === '' || /^0[xob]/i.test(text) ? Number.NaN : Number(text);
}

function rangeOf(column: PerformanceColumn): string {
  return `${column.whole ? 'a whole number' : 'a number'} from ${describeValue(column.min)} to ${describeValue(column.max)}`;
}

function wrongField(file: string, record: CsvRecord, index: number, column: PerformanceColumn, expected: string): Problem {
  const received = (record.fields[index] ?? '').trim();
  const shown = describeValue(received);
  return problem('INVALID_VALUE', {
    message: received === '' ? `${column.name} is empty.` : `${column.name} cannot be ${shown}.`,
    file,
    ...record.locate(index),
    expected,
    received: received === '' ? 'nothing' : shown,
  });
}

function wrongWidth(file: string, record: CsvRecord, width: number): Problem {
  const received = record.fields.length;
  return problem('SYNTAX', {
    message: received < width ? 'The row has too few fields.' : 'The row has too many fields.',
    file,
    ...record.locate(Math.min(received, width)),
    expected: `${width} fields, as the first line has`,
    received: `${received}`,
    hint: 'Put a field that contains a comma in double quotes.',
  });
}

function tooManyRows(file: string, line: number, maxRows: number): Problem {
  return problem('TOO_MANY', {
    message: 'The table has too many rows.',
    file,
    line,
    column: 1,
    expected: `at most ${maxRows} rows that ran`,
  });
}

function noRows(file: string, message: string): Problem {
  return problem('NO_ROWS', { message, file, line: 1, column: 1, expected: 'a line with the column names, then one line a measurement' });
}

function rowsDidNotRun(file: string, count: number): Problem {
  return problem('ROW_DID_NOT_RUN', {
    message: count === 1 ? '1 row did not run and is left out.' : `${count} rows did not run and are left out.`,
    file,
  });
}
