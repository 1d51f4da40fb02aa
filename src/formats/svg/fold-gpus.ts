import type { PlanGpu } from '../../demand/documents/plan.js';
import { countGpus, numberOn } from '../../demand/documents/unfold-plan.js';

/** Most ids that are told of an entry of several GPUs. */
const mostIds = 20;

/** GPUs of one pool that are cut and used alike, in the order of the plan. */
export interface FoldedGpus {
  readonly example: PlanGpu;
  readonly count: number;
  /** Their ids, of an entry of several GPUs only the first ones. */
  readonly ids: readonly string[];
}

/** GPUs of one pool, equal ones folded, both in the order in which the plan first names them. */
export interface PoolGpus {
  readonly pool: string;
  readonly type: string;
  readonly count: number;
  readonly folded: readonly FoldedGpus[];
}

/** Groups the GPUs of a plan by pool and folds those that look the same. */
export function foldGpus(gpus: readonly PlanGpu[]): readonly PoolGpus[] {
  return [...groupBy(gpus, ({ pool, type }) => JSON.stringify([pool, type])).values()].map((members) => {
    const [{ pool, type }] = members;
    const folded = [...groupBy(members, lookOf).values()].map((alike) => ({
      example: alike[0],
      count: countGpus(alike),
      ids: alike.flatMap(({ id, count = 1 }) => Array.from({ length: Math.min(count, mostIds) }, (_, n) => numberOn(id, n))),
    }));
    return { pool, type, count: countGpus(members), folded };
  });
}

function lookOf({ instances, occupied = [] }: PlanGpu): string {
  return JSON.stringify([
    instances.map(({ profile, start, service, batch, processes, plannedLoad }) => [
      profile,
      start,
      service,
      batch,
      processes,
      Math.round(plannedLoad * 100),
    ]),
    occupied.map(({ profile, start }) => [profile, start]),
  ]);
}

type NonEmpty<T> = [T, ...T[]];

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, NonEmpty<T>> {
  const groups = new Map<string, NonEmpty<T>>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
