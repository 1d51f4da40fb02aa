import { type MeasuredGroup, mostColocated } from '../../colocate/measured-workload.js';
import { suggestNames } from '../../demand/did-you-mean.js';
import { InlayError, type Problem } from '../../errors.js';
import { describeValue } from '../describe-value.js';
import { leastRate, mostOfAny } from './measured-ranges.js';
import { type NamedRow, parseDecimal, readNamedTable } from './read-named-table.js';

/** A group of workloads by name, without measurements. */
export interface NamedGroup {
  readonly id: string;
  readonly members: readonly string[];
}

/**
 * Reads tables of measured groups (`id, w1..wn, t1..tn`; smaller groups leave the last columns empty). Every member must be
 * among `workloads`. Throws InlayError with every problem of all tables.
 */
export async function readMeasuredGroups(files: readonly string[], workloads: readonly string[]): Promise<readonly MeasuredGroup[]> {
  const problems: Problem[] = [];
  const groups: MeasuredGroup[] = [];
  const known = new Map<string, string>();
  for (const file of files) {
    const table = await readNamedTable(file, ['id', 'w1', 'w2', 't1', 't2']);
    problems.push(...table.problems);
    for (const row of table.rows) {
      const { id, members } = readMembers(row, table.columns, workloads, problems);
      problems.push(...conflictingId(row, id, members.toSorted().join(' + '), known));
      groups.push({ id, members, rates: members.map((_, place) => readRate(row, `t${place + 1}`, problems)) });
    }
  }
  if (problems.length > 0) throw new InlayError(problems);
  return groups;
}

/** Reads a table of groups to predict (`id, w1..wn`). Throws InlayError with every problem. */
export async function readNamedGroups(file: string, workloads: readonly string[]): Promise<readonly NamedGroup[]> {
  const table = await readNamedTable(file, ['id', 'w1']);
  const problems: Problem[] = [...table.problems];
  const groups = table.rows.map((row) => readMembers(row, table.columns, workloads, problems, 1));
  if (problems.length > 0) throw new InlayError(problems);
  return groups;
}

function readMembers(row: NamedRow, columns: readonly string[], workloads: readonly string[], problems: Problem[], least = 2): NamedGroup {
  const id = row.text('id');
  if (id === '') problems.push(row.problemAt('id', 'INVALID_VALUE', { message: 'A group has no id.', expected: 'an id' }));
  const members: string[] = [];
  for (let place = 1; place <= mostColocated; place++) {
    const name = row.text(`w${place}`);
    if (name === '') break;
    members.push(name);
    if (!workloads.includes(name)) problems.push(unknownWorkload(row, `w${place}`, name, workloads));
  }
  if (members.length < least) {
    const message = `A group has ${members.length} members.`;
    problems.push(
      row.problemAt(`w${members.length + 1}`, 'INVALID_VALUE', {
        message,
        expected: `at least ${least} members`,
        received: `${members.length}`,
      }),
    );
  }
  problems.push(...fieldsBeyond(row, columns, members.length));
  return { id, members };
}

/** Fields of a row that belong to no member: a name after a gap or after the most there may be, or a rate without a name. */
function fieldsBeyond(row: NamedRow, columns: readonly string[], members: number): readonly Problem[] {
  return columns
    .filter((column) => Number(/^[wt](\d+)$/.exec(column)?.[1] ?? 0) > members && row.text(column) !== '')
    .map((column) => {
      const message = column.startsWith('w') ? `Before ${column} a member is missing.` : `There is a ${column} but no member for it.`;
      const expected = members === mostColocated ? `at most ${mostColocated} members` : `nothing, as w${members + 1} is empty`;
      return row.problemAt(column, 'INVALID_VALUE', {
        message: members === mostColocated ? 'A group has too many members.' : message,
        expected,
        received: describeValue(row.text(column)),
      });
    });
}

function readRate(row: NamedRow, column: string, problems: Problem[]): number {
  const text = row.text(column);
  const rate = parseDecimal(text);
  if (rate >= leastRate && rate <= mostOfAny) return rate;
  const received = text === '' ? 'nothing' : describeValue(text);
  const message = `The throughput ${column} cannot be ${received}.`;
  const expected = `a number from ${describeValue(leastRate)} to ${describeValue(mostOfAny)}, in samples per second`;
  problems.push(row.problemAt(column, 'INVALID_VALUE', { message, expected, received }));
  return Number.NaN;
}

function unknownWorkload(row: NamedRow, column: string, name: string, workloads: readonly string[]): Problem {
  const hint = suggestNames(name, workloads);
  const message = `The workload ${name} is not in the table of workloads.`;
  return row.problemAt(column, 'UNKNOWN_WORKLOAD', { message, received: name, ...(hint && { hint }) });
}

/** A problem when an id was there before for other members. */
function conflictingId(row: NamedRow, id: string, members: string, known: Map<string, string>): readonly Problem[] {
  const before = known.get(id) ?? members;
  known.set(id, before);
  if (before === members) return [];
  const message = `The id ${id} stands for ${before} and for ${members}.`;
  return [row.problemAt('id', 'CONFLICTING_GROUPS', { message, expected: before, received: members })];
}
