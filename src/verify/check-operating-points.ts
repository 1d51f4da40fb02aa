import { type PlacedInstance, type PlanFacts, placeOf } from './plan-facts.js';
import { findBrokenRowRule, listAllowedProfiles } from './row-rules.js';
import { nearly, show } from './tolerance.js';
import type { Violation } from './verify-report.js';

/** Every instance serves a service of the workload by a measured row that the service may use, at the row's throughput. */
export function checkOperatingPoints({ workload, placed }: PlanFacts): readonly Violation[] {
  return placed.flatMap((one) => checkInstance(one, workload));
}

function checkInstance(placed: PlacedInstance, workload: PlanFacts['workload']): readonly Violation[] {
  const { gpu, instance, pool, profile, service, measured } = placed;
  const where = placeOf(gpu, instance);
  const refuse = (message: string, expected: string, received: string) => [{ where, message: `${where}: ${message}`, expected, received }];
  // A missing pool is told with the GPU and a missing profile with the placement, once.
  if (pool === undefined || profile === undefined) return [];
  if (service === undefined) return refuse('the workload has no such service.', 'a service of the workload', instance.service);
  const violations: Violation[] = [];
  const allowed = listAllowedProfiles(service, pool);
  if (!allowed.includes(profile) && pool.profiles.includes(profile)) {
    violations.push(...refuse(`${service.name} may not use this profile.`, allowed.map(({ name }) => name).join(', '), profile.name));
  }
  if (measured === undefined) {
    const setting = `batch ${instance.batch}, processes ${instance.processes}`;
    violations.push(...refuse(`${service.model} was not measured so on ${pool.rowsOf}.`, 'a measured row', setting));
    return violations;
  }
  const broken = findBrokenRowRule(service, workload, profile, measured.row);
  if (broken !== undefined) violations.push(...refuse(`${service.name}: ${broken.message}`, broken.expected, broken.received));
  const { throughputRps } = measured.row;
  if (!nearly(instance.capacityRps, throughputRps)) {
    violations.push(
      ...refuse('capacityRps is not the measured throughput.', `${show(throughputRps)} rps`, `${show(instance.capacityRps)} rps`),
    );
  }
  return violations;
}
