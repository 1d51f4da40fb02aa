import { findProfile } from '../gpu/find-profile.js';
import { indexRows, type ModelRows, type RowIndex } from './index-rows.js';
import { describeSize } from './list-sizes.js';
import type { OperatingPoint } from './operating-point.js';
import { createRuleMaker, fits, type RowRules, type Rule, rowLoad, singleRowRps } from './row-rules.js';
import type { Service, Workload } from './workload.js';

/** Points for a service of rate 0 are found at this rate, for information: it is given nothing. */
const leastRateRps = 1e-9;

/** Finds the operating points of a workload's services. */
export interface PointFinder {
  readonly index: RowIndex;
  /**
   * By size (the order of `listSizes`): the usable row of highest planned throughput for a service at a rate, with ties going to lower latency,
   * then fewer processes, then smaller batch; undefined where no row is usable. `lifted` leaves out one rule.
   */
  pointsOf(service: Service, rateRps: number, lifted?: Rule): (OperatingPoint | undefined)[];
  /** The rules of a service at a rate. */
  rulesOf(service: Service, rateRps: number, lifted?: Rule): RowRules;
  /** By size: whether the service's lists of profiles and of pools allow it. */
  allowedSizes(service: Pick<Service, 'profiles' | 'pools'>): readonly boolean[];
}

/** Sorts the rows of a workload once and returns the finder of operating points. */
export function createPointFinder(workload: Workload): PointFinder {
  const index = indexRows(workload);
  const makeRules = createRuleMaker(workload.maxProcesses);
  const rulesOf: PointFinder['rulesOf'] = (service, rateRps, lifted) => makeRules(service, Math.max(rateRps, leastRateRps), lifted);
  const everySize = index.sizes.map(() => true);
  const allowedByList = new Map<string, readonly boolean[]>();

  const allowedSizes: PointFinder['allowedSizes'] = ({ profiles, pools }) => {
    if (profiles === undefined && pools === undefined) return everySize;
    const key = JSON.stringify([profiles, pools]);
    const allowed = allowedByList.get(key) ?? listAllowed(workload, index, profiles, pools);
    allowedByList.set(key, allowed);
    return allowed;
  };

  const pointsOf: PointFinder['pointsOf'] = (service, rateRps, lifted) => {
    const rows = index.models.get(service.model);
    if (rows === undefined) return index.sizes.map(() => undefined);
    const rules = rulesOf(service, rateRps, lifted);
    const allowed = allowedSizes(lifted === 'profile' ? ofAnyProfile(service) : service);
    return allowed.map((isAllowed, size) => (isAllowed ? bestPoint(rules, rows, size, index.sizeMemoryGiB[size] as number) : undefined));
  };

  return { index, pointsOf, rulesOf, allowedSizes };
}

/** The lists of a service without that of profiles. */
export function ofAnyProfile({ pools }: Service): Pick<Service, 'pools'> {
  return pools === undefined ? {} : { pools };
}

function listAllowed(
  workload: Workload,
  index: RowIndex,
  names: readonly string[] | undefined,
  pools: readonly string[] | undefined,
): boolean[] {
  return index.sizes.map((size) => {
    const { pool, profile } = describeSize(workload, size);
    if (pools !== undefined && !pools.includes(pool.name)) return false;
    if (names === undefined) return true;
    return names.some((name) => {
      const answer = findProfile(pool.gpu, name);
      return answer.kind === 'found' && answer.profile.name === profile.name;
    });
  });
}

function bestPoint(rules: RowRules, rows: ModelRows, size: number, memoryGiB: number): OperatingPoint | undefined {
  const best = bestRow(rules, rows, size, memoryGiB);
  if (best < 0) return undefined;
  const row = rows.rows[best] as OperatingPoint['row'];
  const maxLoad = rowLoad(rules, rows, best, memoryGiB);
  const singleMs = rows.singleMs[best] as number;
  const plannedRps = maxLoad * row.throughputRps;
  return Number.isNaN(singleMs) ? { row, maxLoad, plannedRps } : { row, singleMs, maxLoad, plannedRps };
}

/**
 * Index of the best row of a size, -1 without one. Rows come by falling throughput, so the search ends early where loads are high;
 * the closed form for tiny services is slow, so it is asked only where it could win.
 */
function bestRow(rules: RowRules, rows: ModelRows, size: number, memoryGiB: number): number {
  const from = rows.starts[size] as number;
  const to = rows.starts[size + 1] as number;
  let best = -1;
  let bestRps = 0;
  for (let row = from; row < to; row++) {
    const throughput = rows.throughputRps[row] as number;
    if (rules.maxLoad * throughput < bestRps) break;
    if (!fits(rules, rows, row, memoryGiB)) continue;
    const rps = Math.min(rules.maxLoad, rules.queueLoad(rows, row)) * throughput;
    if (rps > bestRps || (rps === bestRps && isPreferred(rows, row, best))) {
      best = row;
      bestRps = rps;
    }
  }
  for (let row = from; row < to; row++) {
    if (rules.maxLoad * (rows.throughputRps[row] as number) < bestRps) break;
    if ((rows.singleRpsAtMost[row] as number) < bestRps || !fits(rules, rows, row, memoryGiB)) continue;
    const rps = singleRowRps(rules, rows, row);
    if (rps > bestRps || (rps === bestRps && isPreferred(rows, row, best))) {
      best = row;
      bestRps = rps;
    }
  }
  return best;
}

function isPreferred(rows: ModelRows, row: number, other: number): boolean {
  return other >= 0 && (rows.rank[row] as number) < (rows.rank[other] as number);
}
