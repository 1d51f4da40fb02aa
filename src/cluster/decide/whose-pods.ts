import type { WorkloadGroup } from './group-workloads.js';
import type { Pods } from './locate-pods.js';
import type { ObservedPool } from './read-hardware.js';
import type { ObservedNode } from './read-node.js';
import type { ReadWorkload } from './read-workloads.js';

/**
 * Whose the pods of a service are, seen from a group. own: of its workloads. elsewhere: of a workload that is planned on other pools.
 * standing: of a workload that cannot be planned now; its pods stay as they are. gone: of none that there is.
 */
export type Owner = 'own' | 'elsewhere' | 'standing' | 'gone';

/** Namespace and name of a workload, of the key of one of its services: neither has dots. */
const workloadOf = (service: string): string => service.split('.', 2).join('.');

const index = (workloads: readonly ReadWorkload[]) => new Map(workloads.map((one) => [`${one.namespace}.${one.name}`, one]));

/** Finds the owner by the key of a service, `namespace.workload.service`. */
export function createOwnerFinder(workloads: readonly ReadWorkload[], group: WorkloadGroup): (service: string) => Owner {
  const known = index(workloads);
  const own = new Set(group.workloads);
  return (service) => {
    const workload = known.get(workloadOf(service));
    if (workload === undefined) return 'gone';
    if (own.has(workload)) return 'own';
    return workload.problems.length > 0 ? 'standing' : 'elsewhere';
  };
}

/** Whether a service is of a workload that cannot be planned now. */
export function createStandingCheck(workloads: readonly ReadWorkload[]): (service: string) => boolean {
  const known = index(workloads);
  return (service) => (known.get(workloadOf(service))?.problems.length ?? 0) > 0;
}

/**
 * Leaves nodes without a report out of plans while a pod of a workload that cannot be planned is there: nobody knows on which GPU it
 * sits, and so nothing of the node can be cut or emptied.
 */
export function holdBlindNodes(
  pools: readonly ObservedPool[],
  { placed }: Pods,
  isStanding: (service: string) => boolean,
): readonly ObservedPool[] {
  const held = new Set(placed.flatMap(({ service, node }) => (isStanding(service) ? [node] : [])));
  if (held.size === 0) return pools;
  const hold = (node: ObservedNode): ObservedNode => (node.source !== 'agent' && held.has(node.name) ? { ...node, usable: false } : node);
  return pools.map((pool) => ({ ...pool, nodes: pool.nodes.map(hold) }));
}
