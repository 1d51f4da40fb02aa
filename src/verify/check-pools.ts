import type { PlanGpu } from '../demand/documents/plan.js';
import type { StateGpu } from '../demand/documents/state.js';
import { countGpus, isNamed } from '../demand/documents/unfold-plan.js';
import type { Pool } from '../demand/workload.js';
import { countHeld, findHolding } from './held-gpus.js';
import type { PlanFacts } from './plan-facts.js';
import type { Violation } from './verify-report.js';

/** No pool gives more GPUs than it has; GPUs and instances that others hold in the current state are left alone. */
export function checkPools({ workload, plan, pools, current }: PlanFacts): readonly Violation[] {
  const physical = new Map(current?.gpus.map((gpu) => [gpu.id, gpu]));
  const limits = workload.pools.flatMap((pool): readonly Violation[] => {
    const { whole, part } = countHeld(pool, current);
    const used = plan.gpus.filter((gpu) => gpu.pool === pool.name);
    const shared = used.flatMap((gpu) => listPhysical(gpu, physical)).filter((gpu) => isHeldInPart(gpu, pool)).length;
    const fresh = countGpus(used) - shared;
    const free = Math.max(pool.count - whole - part, 0);
    if (fresh <= free) return [];
    const message = `Pool ${pool.name} has fewer free GPUs than the plan uses.`;
    return [{ where: pool.name, message, expected: `at most ${free}`, received: String(fresh) }];
  });
  if (current === undefined) return limits;
  return limits.concat(
    plan.gpus.flatMap((gpu) => {
      const pool = pools.get(gpu.pool);
      if (pool === undefined) return [];
      const known = listPhysical(gpu, physical);
      return (known.length === 0 ? [undefined] : known).flatMap((one) => checkHolding(gpu, pool, one));
    }),
  );
}

/** The GPUs of the current state that an entry of the plan stands for. */
function listPhysical(gpu: PlanGpu, physical: ReadonlyMap<string, StateGpu>): readonly StateGpu[] {
  if (gpu.count !== undefined) return [...physical.values()].filter(({ id }) => isNamed(gpu, id));
  const one = physical.get(gpu.id);
  return one === undefined ? [] : [one];
}

function checkHolding(gpu: PlanGpu, pool: Pool, physical: StateGpu | undefined): readonly Violation[] {
  const where = physical?.id ?? gpu.id;
  if (physical !== undefined && physical.pool !== pool.name) {
    return [{ where, message: `${where}: the GPU belongs to another pool.`, expected: physical.pool, received: pool.name }];
  }
  const holding = physical === undefined ? undefined : findHolding(physical, pool);
  if (holding?.kind === 'whole') {
    return [{ where, message: `${where}: others hold this GPU.`, expected: 'not used', received: `${gpu.instances.length} instances` }];
  }
  const held = holding?.instances.join(', ') || 'nothing';
  const stated =
    (gpu.occupied ?? [])
      .map(({ profile, start }) => `${profile}@${start}`)
      .sort()
      .join(', ') || 'nothing';
  if (held === stated) return [];
  return [{ where, message: `${where}: occupied is not what others hold there.`, expected: held, received: stated }];
}

function isHeldInPart(physical: StateGpu, pool: Pool): boolean {
  if (physical.pool !== pool.name) return false;
  const holding = findHolding(physical, pool);
  return holding.kind === 'part' && holding.instances.length > 0;
}
