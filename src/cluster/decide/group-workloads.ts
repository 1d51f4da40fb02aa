import type { ObservedPool } from './read-hardware.js';
import type { ReadWorkload } from './read-workloads.js';

/** Workloads that share pools, directly or through others, and are planned together. */
export interface WorkloadGroup {
  /** Name of the first of the pools. */
  readonly name: string;
  readonly pools: readonly ObservedPool[];
  /** Those that can be planned. */
  readonly workloads: readonly ReadWorkload[];
}

/** Groups valid workloads by the pools they name; pools that no valid workload names are left out. */
export function groupWorkloads(workloads: readonly ReadWorkload[], pools: readonly ObservedPool[]): readonly WorkloadGroup[] {
  const leader = new Map<string, string>();
  const find = (name: string): string => {
    const next = leader.get(name);
    return next === undefined || next === name ? name : find(next);
  };
  const valid = workloads.filter(({ problems }) => problems.length === 0);
  for (const { object } of valid) {
    const [first = ''] = object.spec.pools;
    for (const name of object.spec.pools) {
      const [a, b] = [find(first), find(name)].sort() as [string, string];
      leader.set(b, a);
      leader.set(a, a);
    }
  }
  const groups = new Map<string, WorkloadGroup & { pools: ObservedPool[]; workloads: ReadWorkload[] }>();
  for (const pool of pools) {
    const { name } = pool.pool.metadata;
    if (!leader.has(name)) continue;
    const root = find(name);
    const group = groups.get(root) ?? { name: root, pools: [], workloads: [] };
    group.pools.push(pool);
    groups.set(root, group);
  }
  for (const workload of valid) groups.get(find(workload.object.spec.pools[0] ?? ''))?.workloads.push(workload);
  return [...groups.values()];
}
