import type { PlanGpu } from '../demand/documents/plan.js';
import { splitId } from '../demand/documents/unfold-plan.js';
import { groupBy } from './group-by.js';
import type { PlanFacts } from './plan-facts.js';
import type { Violation } from './verify-report.js';

/** GPU ids are unique; every GPU's pool exists and is of the GPU model named. */
export function checkGpus({ plan, pools }: PlanFacts): readonly Violation[] {
  const violations = checkRanges(plan.gpus);
  const seen = new Set<string>();
  for (const { id, pool: poolName, type } of plan.gpus) {
    if (seen.has(id)) violations.push({ where: id, message: `${id}: two GPUs share this id.`, expected: 'unique ids', received: id });
    seen.add(id);
    const pool = pools.get(poolName);
    if (pool === undefined) {
      const message = `${id}: the workload has no pool ${poolName}.`;
      violations.push({ where: id, message, expected: [...pools.keys()].join(', '), received: poolName });
    } else if (pool.gpu.name !== type) {
      violations.push({ where: id, message: `${id}: pool ${poolName} is of another GPU model.`, expected: pool.gpu.name, received: type });
    }
  }
  return violations;
}

/** The ids that an entry of several GPUs counts through are no other entry's. */
function checkRanges(gpus: readonly PlanGpu[]): Violation[] {
  if (gpus.every(({ count }) => count === undefined)) return [];
  const ranges = gpus.map(({ id, count = 1 }) => {
    const [stem, first] = splitId(id);
    return { id, stem, first, last: first + BigInt(count) - 1n };
  });
  const byStem = [...groupBy(ranges, ({ stem }) => stem).values()];
  return byStem.flatMap((same) => {
    const sorted = same.toSorted((a, b) => (a.first < b.first ? -1 : 1));
    return sorted.slice(1).flatMap((range, n): Violation[] => {
      const before = sorted[n] as typeof range;
      if (range.first > before.last || range.id === before.id) return [];
      const message = `${range.id}: the GPUs counted on from ${before.id} take this id too.`;
      return [{ where: range.id, message, expected: 'unique ids', received: range.id }];
    });
  });
}
