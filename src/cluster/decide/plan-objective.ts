import type { StateDocument, StateGpu } from '../../demand/documents/state.js';
import type { TransitionDocument } from '../../demand/documents/transition.js';
import type { SharingPlanSpec } from '../objects/sharing-plan.js';
import type { WorkloadGroup } from './group-workloads.js';

/** What plans of a group make as small as possible, and how much that is. */
export interface PlanObjective {
  readonly name: 'gpus' | 'cost';
  /** Of a GPU of a pool, by its name: its price, or 1 where GPUs are counted. */
  priceOf(pool: string): number;
  /** What one saved GPU counts: the lowest price, or 1. */
  readonly savedUnit: number;
}

/** Where pools have different prices the cost counts, else the number of GPUs. A pool without a price has the price 1. */
export function findObjective({ pools }: WorkloadGroup): PlanObjective {
  const prices = new Map(pools.map(({ pool: { metadata, spec } }) => [metadata.name, spec.price ?? 1]));
  if (new Set(prices.values()).size < 2) return { name: 'gpus', priceOf: () => 1, savedUnit: 1 };
  return { name: 'cost', priceOf: (pool) => prices.get(pool) ?? 1, savedUnit: Math.min(...prices.values()) };
}

/** What a change must save at least, in words. */
export function describeSaving(gpus: number, { name, savedUnit }: PlanObjective): string {
  return name === 'gpus' ? `${gpus} GPUs` : `a cost of ${trim(gpus * savedUnit)}`;
}

/** GPUs on which pods of services are, by pool. */
export function countUsedGpus({ target }: Pick<TransitionDocument, 'target'>): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const gpu of target.gpus) if (isUsed(gpu)) counts[gpu.pool] = (counts[gpu.pool] ?? 0) + 1;
  return counts;
}

function isUsed({ reserved, instances }: StateGpu): boolean {
  return reserved !== true && instances.some((instance) => instance.service !== null && instance.reserved !== true);
}

/** Worth of GPUs, counted by pool. */
export function sumWorth(gpusByPool: Readonly<Record<string, number>>, { priceOf }: PlanObjective): number {
  return Object.entries(gpusByPool).reduce((sum, [pool, count]) => sum + count * priceOf(pool), 0);
}

/** The size of a plan beside what is proven, as a SharingPlan says it. */
export function measurePlan(
  found: TransitionDocument,
  state: StateDocument,
  objective: PlanObjective,
): Pick<SharingPlanSpec, 'gpus' | 'bound' | 'cost' | 'costBound'> {
  const { gpus, cost } = found.bounds;
  if (cost === undefined) return { gpus: gpus?.achieved ?? 0, bound: Math.ceil((gpus?.limit ?? 0) - 1e-6) };
  const used = Object.values(countUsedGpus(found)).reduce((sum, count) => sum + count, 0);
  const bound = Math.min(used, fewestGpusOfCost(cost.limit, state, objective));
  return { gpus: used, bound, cost: trim(cost.achieved), costBound: trim(cost.limit) };
}

/** Any plan costs at least `cost`, so it has at least as many GPUs as the dearest ones need to cost that. */
function fewestGpusOfCost(cost: number, { gpus }: StateDocument, { priceOf }: PlanObjective): number {
  const prices = gpus.filter(({ reserved }) => reserved !== true).map(({ pool }) => priceOf(pool));
  let left = cost * (1 - 1e-9);
  let count = 0;
  for (const price of prices.sort((a, b) => b - a)) {
    if (left <= 0) break;
    left -= price;
    count++;
  }
  return count;
}

/** Sums of prices without the digits that adding them left over. */
const trim = (value: number): number => Number(value.toPrecision(12));
