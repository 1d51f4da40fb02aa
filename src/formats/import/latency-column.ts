import { inlayError, type Problem, problem } from '../../errors.js';
import type { CsvRecord } from '../csv-records.js';
import { describePercentile, type Percentile } from './load-point.js';
import { millisecondsPer } from './milliseconds.js';

/** The column of a table that holds the chosen latency. */
export interface LatencyColumn {
  readonly index: number;
  readonly name: string;
  /** Milliseconds in one of its numbers. */
  readonly msPer: number;
}

/** `p99 latency`, `Avg latency`, `p99 Latency (ms)` … */
const latencyName = /^(?:p(\d+(?:\.\d+)?)|avg) latency(?: \(([^)]+)\))?$/i;

/** Finds the column of a percentile. `unit` is that of names that have none. Undefined when it was not measured. */
export function findLatencyColumn(names: readonly string[], percentile: Percentile, unit?: string): LatencyColumn | undefined {
  for (const [index, name] of names.entries()) {
    const match = latencyName.exec(name);
    if (match === null || (match[1] === undefined ? 'mean' : Number(match[1])) !== percentile) continue;
    const msPer = millisecondsPer(match[2] ?? unit ?? '');
    if (msPer !== undefined) return { index, name, msPer };
  }
  return undefined;
}

/** Says that a header has no column for the chosen latency, and which it has. */
export function missingLatency(names: readonly string[], percentile: Percentile, file: string, header: CsvRecord): Problem {
  const measured = names.filter((name) => latencyName.test(name));
  return notMeasured(percentile, measured, { file, line: header.line, column: 1 });
}

/** Says that a latency was not measured, and which were. */
export function notMeasured(
  percentile: Percentile,
  measured: readonly string[],
  place: Pick<Problem, 'file' | 'line' | 'column'>,
): Problem {
  return problem('PERCENTILE_NOT_MEASURED', {
    message: `${place.file} has no ${describePercentile(percentile)} latency.`,
    ...place,
    expected: `the ${describePercentile(percentile)} latency`,
    received: measured.length === 0 ? 'no latency' : measured.join(', '),
    ...(measured.length === 0 ? { hint: 'Measure with latencies, end to end.' } : {}),
  });
}

/** A column index by name. Throws InlayError MISSING_COLUMN when there is none. */
export function requireColumn(names: readonly string[], name: string, file: string, header: CsvRecord): number {
  const index = names.indexOf(name);
  if (index >= 0) return index;
  throw inlayError('MISSING_COLUMN', {
    message: `The column ${name} is missing.`,
    file,
    line: header.line,
    column: 1,
    expected: name,
    received: names.join(',').slice(0, 200),
    hint: 'Check that the file is complete.',
  });
}
