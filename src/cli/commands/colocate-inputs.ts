import { checkMeasured, noteGroups } from '../../colocate/check-measured.js';
import type { MeasuredGroup, MeasuredWorkload } from '../../colocate/measured-workload.js';
import { InlayError } from '../../errors.js';
import { readMeasuredGroups } from '../../formats/colocate/read-groups.js';
import { readWorkloads } from '../../formats/colocate/read-workloads.js';
import type { CliIo } from '../io.js';
import { type ReportOptions, reportNotes } from '../report-problems.js';

/** Reads workloads and measured groups that fit together, and notes what is odd about them. */
export async function readMeasurements(
  workloadsFile: string,
  groupFiles: readonly string[],
  options: ReportOptions,
  io: CliIo,
): Promise<{ readonly workloads: readonly MeasuredWorkload[]; readonly groups: readonly MeasuredGroup[] }> {
  const workloads = await readWorkloads(workloadsFile);
  const groups = await readMeasuredGroups(
    groupFiles,
    workloads.map(({ name }) => name),
  );
  requireMeasured(workloads, new Set(groups.flatMap(({ members }) => members)), workloadsFile);
  reportNotes(noteGroups(groups, workloads), io, options);
  return { workloads, groups };
}

/** Throws InlayError when a workload that is asked about lacks a number. */
export function requireMeasured(workloads: readonly MeasuredWorkload[], names: ReadonlySet<string>, file: string): void {
  const problems = checkMeasured(workloads, names);
  if (problems.length > 0) throw new InlayError(problems.map((problem) => ({ ...problem, file })));
}
