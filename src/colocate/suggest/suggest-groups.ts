import type { InterferenceModel } from '../documents/interference-model.js';
import type { JobsDocument } from '../documents/jobs.js';
import { type GroupOptions, groupJobs } from '../group/group-jobs.js';
import { groupKey } from '../group/rate-groups.js';
import type { MeasuredWorkload } from '../measured-workload.js';
import { mostUncertainGroups } from './most-uncertain.js';

/** A group worth measuring, and why. */
export interface SuggestedGroup {
  readonly members: readonly string[];
  /** `unseen`: no group shows a member yet; `plan`: the best grouping would use it; `uncertain`: it would lower the error most. */
  readonly reason: 'unseen' | 'plan' | 'uncertain';
}

/** Jobs whose best grouping is to be measured. */
export interface PlannedFor {
  readonly document: Pick<JobsDocument, 'jobs' | 'gpu'>;
  readonly options: Omit<GroupOptions, 'risk'>;
}

/**
 * Up to `budget` groups to measure next. Workloads that no group has shown come first: a plan about them is a guess. Then, with
 * jobs, the groups that the best grouping by predicted means would use and that nobody measured, the most used first; what is
 * left of the budget goes to the groups that teach most. A measured group is never suggested.
 */
export async function suggestGroups(
  workloads: readonly MeasuredWorkload[],
  model: InterferenceModel,
  budget: number,
  plannedFor?: PlannedFor,
): Promise<readonly SuggestedGroup[]> {
  const measured = model.training.groups;
  const asIfMeasured = (groups: readonly (readonly string[])[]) => [
    ...measured,
    ...groups.map((members) => ({ id: '', members: [...members], rates: [] })),
  ];
  const shown = new Set(measured.flatMap(({ members }) => members));
  const first: (readonly string[])[] = [];
  if (plannedFor !== undefined && workloads.some(({ name }) => !shown.has(name))) {
    for (const members of mostUncertainGroups(workloads, measured, budget)) {
      if (members.some((name) => !shown.has(name))) first.push(members);
      for (const name of members) shown.add(name);
    }
  }
  const planned = plannedFor === undefined ? [] : await plannedGroups(workloads, model, plannedFor);
  const keys = new Set(first.map(groupKey));
  const next = planned.filter((members) => !keys.has(groupKey(members))).slice(0, budget - first.length);
  const rest = mostUncertainGroups(workloads, asIfMeasured([...first, ...next]), budget - first.length - next.length);
  return [
    ...first.map((members) => ({ members, reason: 'unseen' as const })),
    ...next.map((members) => ({ members, reason: 'plan' as const })),
    ...rest.map((members) => ({ members, reason: 'uncertain' as const })),
  ];
}

async function plannedGroups(workloads: readonly MeasuredWorkload[], model: InterferenceModel, { document, options }: PlannedFor) {
  const { gpus, ...unlimited } = options;
  const wanted = await groupJobs(document, workloads, model, { ...options, risk: 'mean' });
  // Where the predictions allow no grouping onto so few GPUs, measurements of the tightest one may show that there is one.
  const grouping =
    wanted.kind === 'grouping' || gpus === undefined
      ? wanted
      : await groupJobs(document, workloads, model, { ...unlimited, objective: 'fewest-gpus', risk: 'mean' });
  if (grouping.kind === 'infeasible') return [];
  const uses = new Map<string, { readonly members: readonly string[]; count: number }>();
  for (const group of grouping.groups) {
    if (group.measured) continue;
    const key = groupKey(group.workloads);
    const use = uses.get(key) ?? { members: group.workloads, count: 0 };
    use.count++;
    uses.set(key, use);
  }
  return [...uses.values()].toSorted((a, b) => b.count - a.count).map(({ members }) => members);
}
