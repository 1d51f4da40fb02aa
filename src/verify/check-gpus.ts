import type { PlanFacts } from './plan-facts.js';
import type { Violation } from './verify-report.js';

/** GPU ids are unique; every GPU's pool exists and is of the GPU model named. */
export function checkGpus({ plan, pools }: PlanFacts): readonly Violation[] {
  const violations: Violation[] = [];
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
