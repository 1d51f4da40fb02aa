import type { MeasuredGroup } from '../../colocate/measured-workload.js';
import { suggestNames } from '../../demand/did-you-mean.js';
import { InlayError, type Problem, problem } from '../../errors.js';
import { describeValue } from '../describe-value.js';
import { type NamedRow, parseDecimal, readNamedTable } from './read-named-table.js';

/** A group of workloads by name, without measurements. */
export interface NamedGroup {
  readonly id: string;
  readonly members: readonly string[];
}

/** MPS serves at most 48 clients. */
const mostMembers = 48;

/**
 * Reads tables of measured groups (`id, w1..wn, t1..tn`; smaller groups leave the last columns empty). Every member must be
 * among `workloads`. Throws InlayError with every problem of all tables.
 */
export async function readMeasuredGroups(files: readonly string[], workloads: readonly string[]): Promise<readonly MeasuredGroup[]> {
  const problems: Problem[] = [];
  const groups: MeasuredGroup[] = [];
  for (const file of files) {
    const table = await readNamedTable(file, ['id', 'w1', 'w2', 't1', 't2']);
    problems.push(...table.problems);
    for (const row of table.rows) {
      const { id, members } = readMembers(row, workloads, problems);
      groups.push({ id, members, rates: members.map((_, place) => readRate(row, `t${place + 1}`, problems)) });
    }
  }
  problems.push(...conflictingIds(groups, files));
  if (problems.length > 0) throw new InlayError(problems);
  return groups;
}

/** Reads a table of groups to predict (`id, w1..wn`). Throws InlayError with every problem. */
export async function readNamedGroups(file: string, workloads: readonly string[]): Promise<readonly NamedGroup[]> {
  const table = await readNamedTable(file, ['id', 'w1']);
  const problems: Problem[] = [...table.problems];
  const groups = table.rows.map((row) => readMembers(row, workloads, problems, 1));
  if (problems.length > 0) throw new InlayError(problems);
  return groups;
}

function readMembers(row: NamedRow, workloads: readonly string[], problems: Problem[], least = 2): NamedGroup {
  const members: string[] = [];
  for (let place = 1; place <= mostMembers; place++) {
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
  return { id: row.text('id'), members };
}

function readRate(row: NamedRow, column: string, problems: Problem[]): number {
  const text = row.text(column);
  const rate = parseDecimal(text);
  if (rate > 0 && rate <= 1e15) return rate;
  const received = text === '' ? 'nothing' : describeValue(text);
  const message = `The throughput ${column} cannot be ${received}.`;
  problems.push(row.problemAt(column, 'INVALID_VALUE', { message, expected: 'a number above 0, in samples per second', received }));
  return Number.NaN;
}

function unknownWorkload(row: NamedRow, column: string, name: string, workloads: readonly string[]): Problem {
  const hint = suggestNames(name, workloads);
  const message = `The workload ${name} is not in the table of workloads.`;
  return row.problemAt(column, 'UNKNOWN_WORKLOAD', { message, received: name, ...(hint && { hint }) });
}

function conflictingIds(groups: readonly MeasuredGroup[], files: readonly string[]): readonly Problem[] {
  const members = new Map<string, string>();
  return groups.flatMap((group) => {
    const key = group.members.toSorted().join(' + ');
    const before = members.get(group.id) ?? key;
    members.set(group.id, before);
    if (before === key) return [];
    return [problem('CONFLICTING_GROUPS', { message: `The id ${group.id} stands for ${before} and for ${key}.`, file: files.join(', ') })];
  });
}
