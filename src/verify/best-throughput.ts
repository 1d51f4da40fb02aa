import type { Pool, Service, Workload } from '../demand/workload.js';
import { createPlannedLimit } from './planned-load.js';
import type { RowIndex } from './row-index.js';
import { findBrokenRowRule, listAllowedProfiles } from './row-rules.js';

/** Requests per second that no plan can exceed on one instance, by pool and profile as the workload lists them; 0 = not usable. */
export type BestThroughput = (service: Service, rateRps: number) => readonly (readonly number[])[];

/** Makes the finder of each service's best measured row on every size, derated for its rate. */
export function createBestThroughput(workload: Workload, rows: RowIndex): BestThroughput {
  const plannedLimit = createPlannedLimit();
  const bestOn = (service: Service, rateRps: number, pool: Pool) => {
    const allowed = listAllowedProfiles(service, pool);
    return pool.profiles.map((profile) => {
      if (!allowed.includes(profile)) return 0;
      let best = 0;
      for (const measured of rows.list(service.model, pool.rowsOf, profile.name)) {
        if (measured.row.throughputRps <= best) break;
        if (findBrokenRowRule(service, workload, profile, measured.row) !== undefined) continue;
        best = Math.max(best, plannedLimit(service, rateRps, measured, best));
      }
      return best;
    });
  };
  return (service, rateRps) => workload.pools.map((pool) => bestOn(service, rateRps, pool));
}
