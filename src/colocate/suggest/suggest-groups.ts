import type { InterferenceModel } from '../documents/interference-model.js';
import type { JobsDocument } from '../documents/jobs.js';
import { type GroupOptions, groupJobs } from '../group/group-jobs.js';
import { groupKey } from '../group/rate-groups.js';
import type { MeasuredWorkload } from '../measured-workload.js';
import { mostUncertainGroups } from './most-uncertain.js';

/** A group worth measuring, and why. */
export interface SuggestedGroup {
  readonly members: readonly string[];
  /** `plan`: the best grouping would use it; `uncertain`: it would lower the error of predictions most. */
  readonly reason: 'plan' | 'uncertain';
}

/** Jobs whose best grouping is to be measured. */
export interface PlannedFor {
  readonly document: Pick<JobsDocument, 'jobs' | 'gpu'>;
  readonly options: Omit<GroupOptions, 'risk'>;
}

/**
 * Up to `budget` groups to measure next. With jobs, first the groups that the best grouping by predicted means would use and
 * that nobody measured, the most used first; what is left of the budget goes to the groups that teach most. A measured group
 * is never suggested.
 */
export async function suggestGroups(
  workloads: readonly MeasuredWorkload[],
  model: InterferenceModel,
  budget: number,
  plannedFor?: PlannedFor,
): Promise<readonly SuggestedGroup[]> {
  const planned = plannedFor === undefined ? [] : await plannedGroups(workloads, model, plannedFor);
  const first = planned.slice(0, budget);
  const known = [...model.training.groups, ...first.map((members) => ({ id: '', members: [...members], rates: [] }))];
  const rest = mostUncertainGroups(workloads, known, budget - first.length);
  return [
    ...first.map((members) => ({ members, reason: 'plan' as const })),
    ...rest.map((members) => ({ members, reason: 'uncertain' as const })),
  ];
}

async function plannedGroups(workloads: readonly MeasuredWorkload[], model: InterferenceModel, { document, options }: PlannedFor) {
  const grouping = await groupJobs(document, workloads, model, { ...options, risk: 'mean' });
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
