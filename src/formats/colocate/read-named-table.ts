import { suggestNames } from '../../demand/did-you-mean.js';
import { InlayError, type Problem, problem } from '../../errors.js';
import { type CsvRecord, CsvSyntaxError, readCsvRecords } from '../csv-records.js';
import { describeValue } from '../describe-value.js';
import { limits } from '../limits.js';
import { readTextFile } from '../read-file.js';

/** A row of a table whose columns are found by name. */
export interface NamedRow {
  readonly line: number;
  /** Trimmed text of a column; empty where the table does not have the column. */
  text(column: string): string;
  /** A problem at a field of this row. */
  problemAt(
    column: string,
    code: 'INVALID_VALUE' | 'UNKNOWN_WORKLOAD' | 'CONFLICTING_GROUPS',
    details: Omit<Problem, 'code' | 'file' | 'line' | 'column'>,
  ): Problem;
}

/** A table and what is wrong with its form. */
export interface NamedTable {
  readonly columns: readonly string[];
  readonly rows: readonly NamedRow[];
  readonly problems: readonly Problem[];
}

/** Reads a small CSV table of measurements. Throws InlayError when it cannot be read, is no CSV, or lacks a required column. */
export async function readNamedTable(file: string, required: readonly string[]): Promise<NamedTable> {
  const text = await readTextFile(file, limits.tableBytes.value);
  try {
    return toTable(readCsvRecords(text), file, required);
  } catch (error) {
    if (!(error instanceof CsvSyntaxError)) throw error;
    throw new InlayError([problem('SYNTAX', { message: `${file} is not valid CSV: ${error.message}.`, file, ...error.position })]);
  }
}

/** Reads a decimal number; NaN for anything else, also for an empty text. */
export function parseDecimal(text: string): number {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
}

function toTable(records: Generator<CsvRecord>, file: string, required: readonly string[]): NamedTable {
  const first = records.next();
  if (first.done === true) throw new InlayError([noRows(file, 'The table is empty.')]);
  const columns = first.value.fields.map((name) => name.trim());
  const faults = headerProblems(columns, first.value, file, required);
  if (faults.length > 0) throw new InlayError(faults);

  const places = new Map(columns.map((name, index) => [name, index]));
  const rows: NamedRow[] = [];
  const problems: Problem[] = [];
  for (const record of records) {
    if (problems.length >= limits.problems.value) break;
    if (rows.length >= limits.colocationRows.value) {
      const expected = `at most ${limits.colocationRows.value} rows`;
      problems.push(problem('TOO_MANY', { message: 'The table has too many rows.', file, line: record.line, column: 1, expected }));
      break;
    }
    if (record.fields.length === columns.length) rows.push(toRow(record, places, file));
    else problems.push(wrongWidth(record, columns.length, file));
  }
  if (rows.length === 0 && problems.length === 0) problems.push(noRows(file, 'The table has no rows.'));
  return { columns, rows, problems };
}

function toRow(record: CsvRecord, places: ReadonlyMap<string, number>, file: string): NamedRow {
  return {
    line: record.line,
    text: (column) => record.fields[places.get(column) ?? -1]?.trim() ?? '',
    problemAt: (column, code, details) => problem(code, { ...details, file, ...record.locate(places.get(column) ?? 0) }),
  };
}

function headerProblems(columns: readonly string[], record: CsvRecord, file: string, required: readonly string[]): readonly Problem[] {
  const missing = required
    .filter((name) => !columns.includes(name))
    .map((name) => {
      const hint = suggestNames(name, columns)?.replace('Did you mean', 'Is it called');
      const received = columns.join(',').slice(0, 200);
      const message = `The column ${name} is missing.`;
      return problem('MISSING_COLUMN', {
        message,
        file,
        line: record.line,
        column: 1,
        expected: required.join(','),
        received,
        ...(hint && { hint }),
      });
    });
  const doubled = columns.flatMap((name, index) => {
    if (name === '' || columns.indexOf(name) === index) return [];
    const message = `The column ${name} is there twice.`;
    return [problem('DUPLICATE_COLUMN', { message, file, ...record.locate(index), expected: 'each column once' })];
  });
  return [...missing, ...doubled];
}

function wrongWidth(record: CsvRecord, width: number, file: string): Problem {
  const received = record.fields.length;
  return problem('SYNTAX', {
    message: received < width ? 'The row has too few fields.' : 'The row has too many fields.',
    file,
    ...record.locate(Math.min(received, width)),
    expected: `${width} fields, as the first line has`,
    received: describeValue(received),
  });
}

function noRows(file: string, message: string): Problem {
  return problem('NO_ROWS', { message, file, line: 1, column: 1, expected: 'a line with the column names, then one line a measurement' });
}
