import { suggestNames } from '../demand/did-you-mean.js';
import { type Problem, problem } from '../errors.js';
import type { CsvRecord } from './csv-records.js';

/** A column of a performance table, with the range of its values when they are numbers. */
export interface PerformanceColumn {
  readonly name: string;
  readonly required: boolean;
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}

const text = { required: true, min: 0, max: 0, whole: false };
// Wide enough for anything measurable; beyond it a value is a slip of units or of the export.
const measured = { required: true, min: 1e-12, max: 1e12, whole: false };

/** Every column that is known; others are ignored. `source` says where a row comes from and is for people only. */
export const performanceColumns = {
  model: { ...text, name: 'model' },
  gpu: { ...text, name: 'gpu' },
  profile: { ...text, name: 'mig_profile' },
  batch: { name: 'batch', required: true, min: 1, max: 65_536, whole: true },
  processes: { name: 'processes', required: false, min: 1, max: 48, whole: true },
  throughputRps: { ...measured, name: 'throughput_rps' },
  latencyMs: { ...measured, name: 'latency_ms' },
  memoryGiB: { ...measured, name: 'memory_gib', required: false },
  source: { ...text, name: 'source', required: false },
} as const satisfies Record<string, PerformanceColumn>;

type ColumnKey = keyof typeof performanceColumns;

/** Where each column stands in a table: an index, or -1 when the table does not have it. */
export type ColumnIndices = Readonly<Record<ColumnKey, number>>;

/** What the first record of a table says. */
export interface TableHeader {
  readonly indices: ColumnIndices;
  readonly problems: readonly Problem[];
  readonly notes: readonly Problem[];
}

/** Finds the columns by name and reports missing, doubled and ignored ones. */
export function readTableHeader(record: CsvRecord, file: string): TableHeader {
  const names = record.fields.map((name) => name.trim());
  const known = new Set<string>(Object.values(performanceColumns).map((column) => column.name));
  const unknown = names.filter((name) => !known.has(name));
  const problems: Problem[] = [];
  const indices = {} as Record<ColumnKey, number>;
  for (const [key, column] of Object.entries(performanceColumns) as [ColumnKey, PerformanceColumn][]) {
    indices[key] = names.indexOf(column.name);
    const again = names.indexOf(column.name, indices[key] + 1);
    if (indices[key] < 0 && column.required) problems.push(missingColumn(column.name, names, unknown, record, file));
    if (indices[key] >= 0 && again > 0) {
      problems.push(
        problem('DUPLICATE_COLUMN', {
          message: `The column ${column.name} is there twice.`,
          file,
          ...record.locate(again),
          expected: 'each column once',
        }),
      );
    }
  }
  return { indices, problems, notes: unknown.length === 0 ? [] : [ignoredColumns(unknown, record, file)] };
}

function missingColumn(name: string, names: readonly string[], unknown: readonly string[], record: CsvRecord, file: string): Problem {
  const separator = names.length === 1 ? [';', '\t'].find((mark) => names[0]?.includes(mark)) : undefined;
  const hint = separator === undefined ? suggestNames(name, unknown) : 'Separate the columns with commas.';
  return problem('MISSING_COLUMN', {
    message: `The column ${name} is missing.`,
    file,
    line: record.line,
    column: 1,
    expected: Object.values(performanceColumns)
      .filter((column) => column.required)
      .map((column) => column.name)
      .join(','),
    received: shorten(names.join(',')),
    ...(hint === undefined ? {} : { hint: hint.replace('Did you mean', 'Is it called') }),
  });
}

function ignoredColumns(unknown: readonly string[], record: CsvRecord, file: string): Problem {
  const names = unknown.map((name) => (name === '' ? '(no name)' : name));
  return problem('COLUMN_IGNORED', { message: `Columns that are not used: ${shorten(names.join(', '))}.`, file, line: record.line });
}

function shorten(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
