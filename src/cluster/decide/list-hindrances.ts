import { labels } from '../objects/names.js';
import type { ClusterView } from '../observe/cluster-view.js';
import type { WorkloadGroup } from './group-workloads.js';
import { isByHand } from './hand-over.js';
import type { ReadWorkload } from './read-workloads.js';
import { listRouteProblems } from './serve-routes.js';

/** What hinders a workload of a group without stopping it, in sentences: its nodes, budgets of others, a gateway that is not there. */
export function listHindrances(view: ClusterView, group: WorkloadGroup, workload: ReadWorkload): readonly string[] {
  return [...listNodeProblems(group), ...listForeignBudgets(view, workload), ...listRouteProblems(view, workload.object)];
}

function listNodeProblems(group: WorkloadGroup): string[] {
  const nodes = group.pools.flatMap((pool) => pool.nodes);
  const blind = nodes.filter(({ source }) => source !== 'agent').map(({ name }) => name);
  const wrong = nodes.flatMap(({ problems }) => problems.map(({ code, message }) => `${code}: ${message}`));
  return [
    ...(blind.length === 0
      ? []
      : [
          `Without an agent ${isByHand(group) ? 'nobody sees how a node is cut' : 'a node changes as a whole'}: ${blind.slice(0, 5).join(', ')}${blind.length > 5 ? ` and ${blind.length - 5} more` : ''}.`,
        ]),
    ...wrong.slice(0, 5),
  ];
}

/** With a second budget the API server refuses every eviction of a pod. */
function listForeignBudgets({ budgets, pods }: ClusterView, { namespace, name }: ReadWorkload): string[] {
  const own = pods.filter(({ metadata }) => metadata.namespace === namespace && metadata.labels?.[labels.workload] === name);
  const foreign = budgets.filter(({ metadata, spec }) => {
    const { matchLabels = {}, matchExpressions = [] } = spec.selector ?? {};
    if (metadata.namespace !== namespace || metadata.labels?.[labels.workload] !== undefined || matchExpressions.length > 0) return false;
    return own.some((pod) => Object.entries(matchLabels).every(([key, value]) => pod.metadata.labels?.[key] === value));
  });
  return foreign.map(
    ({ metadata }) =>
      `PodDisruptionBudget ${metadata.name} selects pods that have a budget already: they cannot be evicted until it is gone.`,
  );
}
