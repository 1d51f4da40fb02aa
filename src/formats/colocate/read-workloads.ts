import type { MeasuredWorkload, WorkloadTask } from '../../colocate/measured-workload.js';
import { InlayError, type Problem, problem } from '../../errors.js';
import { describeValue } from '../describe-value.js';
import { leastRate, mostOfAny } from './measured-ranges.js';
import { type NamedRow, parseDecimal, readNamedTable } from './read-named-table.js';
import { numberColumns, requiredColumns } from './workload-columns.js';

const tasks: Readonly<Record<string, WorkloadTask>> = { inference: 'inference', inf: 'inference', training: 'training', train: 'training' };

/** Ranges beyond which a number is a slip of units. */
const percentages: ReadonlySet<string> = new Set(['computePercent', 'dramPercent', 'memoryPercent', 'smUtilPercent', 'memoryUtilPercent']);

const leastOf: Readonly<Record<string, number>> = { batchSize: 1, exclusiveRate: leastRate, threads: 1 };

/**
 * Reads a table of workloads as measured alone. An empty number was not measured: an error only for who needs it. Throws
 * InlayError with every problem.
 */
export async function readWorkloads(file: string): Promise<readonly MeasuredWorkload[]> {
  const table = await readNamedTable(file, requiredColumns);
  const problems: Problem[] = [...table.problems];
  const lines = new Map<string, number>();
  const workloads = table.rows.map((row): MeasuredWorkload => {
    const name = row.text('workload');
    const task = tasks[row.text('task').toLowerCase()];
    if (name === '') problems.push(row.problemAt('workload', 'INVALID_VALUE', { message: 'A workload has no name.', expected: 'a name' }));
    if (task === undefined) problems.push(wrongTask(row));
    const before = lines.get(name);
    if (before !== undefined) problems.push(doubledName(name, file, row.line, before));
    lines.set(name, row.line);
    const numbers = Object.fromEntries(numberColumns.map(([key, column]) => [key, readNumber(row, key, column, problems)]));
    const model = row.text('model');
    return { name, family: model === '' ? name : `${model} ${task}`, task: task ?? 'inference', ...numbers } as MeasuredWorkload;
  });
  if (problems.length > 0) throw new InlayError(problems);
  return workloads;
}

function readNumber(row: NamedRow, key: string, column: string, problems: Problem[]): number {
  const text = row.text(column);
  if (text === '') return Number.NaN;
  const value = parseDecimal(text);
  const most = percentages.has(key) ? 100 : mostOfAny;
  const least = leastOf[key] ?? 0;
  if (value >= least && value <= most) return value;
  problems.push(
    row.problemAt(column, 'INVALID_VALUE', {
      message: `${column} cannot be ${describeValue(text)}.`,
      expected: `a number from ${describeValue(least)} to ${describeValue(most)}, or nothing if it was not measured`,
      received: describeValue(text),
    }),
  );
  return Number.NaN;
}

function wrongTask(row: NamedRow): Problem {
  const received = describeValue(row.text('task'));
  return row.problemAt('task', 'INVALID_VALUE', { message: `A task cannot be ${received}.`, expected: 'inference or training', received });
}

function doubledName(name: string, file: string, line: number, before: number): Problem {
  const message = `The workload ${name} is there twice, first on line ${before}.`;
  return problem('DUPLICATE_NAME', { message, file, line, column: 1, expected: 'one row a workload' });
}
