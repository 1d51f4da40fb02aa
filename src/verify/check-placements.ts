import type { PlanGpu } from '../demand/documents/plan.js';
import type { Pool } from '../demand/workload.js';
import type { MigProfile, PlacedProfile } from '../gpu/gpu-model.js';
import { findModelProfile, type PlanFacts, placeOf } from './plan-facts.js';
import { findExceededLimit } from './shared-limits.js';
import type { Violation } from './verify-report.js';

/** Every GPU can be cut as planned: profiles exist and are allowed, starts are legal, nothing overlaps, no limit of the GPU is exceeded. */
export function checkPlacements({ plan, pools }: PlanFacts): readonly Violation[] {
  return plan.gpus.flatMap((gpu) => {
    const pool = pools.get(gpu.pool);
    return pool === undefined ? [] : checkGpu(gpu, pool);
  });
}

function checkGpu(gpu: PlanGpu, pool: Pool): readonly Violation[] {
  const violations: Violation[] = [];
  const layout: PlacedProfile[] = [];
  const add = (name: string, start: number, profile: MigProfile | undefined, known: string) => {
    if (profile !== undefined) layout.push({ profile, start });
    else {
      const where = placeOf(gpu, { profile: name, start });
      violations.push({ where, message: `${where}: pool ${pool.name} has no such profile.`, expected: known, received: name });
    }
  };
  for (const { profile, start } of gpu.occupied ?? [])
    add(profile, start, findModelProfile(pool, profile), `a profile of ${pool.gpu.name}`);
  for (const { profile, start } of gpu.instances) {
    const allowed = pool.profiles.find(({ name }) => name === profile);
    add(profile, start, allowed, pool.profiles.map(({ name }) => name).join(', '));
  }
  return violations.concat(checkPositions(gpu, pool, layout), checkLimits(gpu, pool, layout));
}

function checkPositions(gpu: PlanGpu, pool: Pool, layout: readonly PlacedProfile[]): readonly Violation[] {
  const violations: Violation[] = [];
  const holder = new Map<number, string>();
  for (const { profile, start } of layout) {
    const where = placeOf(gpu, { profile: profile.name, start });
    const end = start + profile.memorySlices;
    if (!profile.starts.includes(start) || end > pool.gpu.memorySlices) {
      const message = `${where}: a ${profile.name} cannot start at memory slice ${start} of ${pool.gpu.name}.`;
      violations.push({ where, message, expected: `start ${profile.starts.join(', ')}`, received: String(start) });
    }
    for (let slice = start; slice < end; slice++) {
      const other = holder.get(slice);
      holder.set(slice, `${profile.name}@${start}`);
      if (other === undefined) continue;
      const message = `${where}: memory slice ${slice} is also held by ${other}.`;
      violations.push({ where, message, expected: 'one instance a slice', received: `${other} and ${profile.name}@${start}` });
      break;
    }
  }
  return violations;
}

function checkLimits(gpu: PlanGpu, pool: Pool, layout: readonly PlacedProfile[]): readonly Violation[] {
  const exceeded = findExceededLimit(
    pool.gpu,
    layout.map(({ profile }) => profile),
    pool,
  );
  if (exceeded === undefined) return [];
  const { what, allowed, used } = exceeded;
  const message = `${gpu.id}: too many ${what} for one ${pool.gpu.name}.`;
  return [{ where: gpu.id, message, expected: `at most ${allowed}`, received: String(used) }];
}
