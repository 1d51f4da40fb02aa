import type { PerformanceRow, Pool, Service, Workload } from '../demand/workload.js';
import { findProfile } from '../gpu/find-profile.js';
import type { MigProfile } from '../gpu/gpu-model.js';
import { atMost, show } from './tolerance.js';

/** A rule that keeps a service from using a row at any load. */
export interface BrokenRowRule {
  readonly message: string;
  readonly expected: string;
  readonly received: string;
}

/** Which rule, if any, forbids a service this row: process and batch limits, memory, and the factor rule on the latency column. */
export function findBrokenRowRule(
  service: Service,
  workload: Pick<Workload, 'maxProcesses'>,
  profile: MigProfile,
  row: PerformanceRow,
): BrokenRowRule | undefined {
  if (row.processes > workload.maxProcesses) {
    return { message: 'more processes than allowed.', expected: `at most ${workload.maxProcesses}`, received: String(row.processes) };
  }
  if (row.batch > service.maxBatch) {
    return { message: 'a larger batch than the service allows.', expected: `at most ${service.maxBatch}`, received: String(row.batch) };
  }
  if (row.memoryGiB !== undefined) {
    const needed = row.processes * row.memoryGiB;
    const usable = profile.memoryMiB.value / 1024;
    if (!atMost(needed, usable)) {
      return {
        message: `the processes do not fit ${profile.name}.`,
        expected: `at most ${show(usable)} GiB`,
        received: `${show(needed)} GiB`,
      };
    }
  }
  if (service.latency.kind === 'factor' && !(row.latencyMs < service.latency.factor * service.latencyMs)) {
    const limit = service.latency.factor * service.latencyMs;
    return {
      message: 'the row is too slow for the factor rule.',
      expected: `below ${show(limit)} ms`,
      received: `${show(row.latencyMs)} ms`,
    };
  }
  return undefined;
}

/** The profiles of a pool that a service may use; the names it gives are resolved on the pool's GPU model. */
export function listAllowedProfiles(service: Service, pool: Pool): readonly MigProfile[] {
  if (service.pools?.includes(pool.name) === false) return [];
  if (service.profiles === undefined) return pool.profiles;
  const named = service.profiles.map((name) => findProfile(pool.gpu, name));
  return pool.profiles.filter(({ name }) => named.some((found) => found.kind === 'found' && found.profile.name === name));
}
