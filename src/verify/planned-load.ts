import { mdcWaitPercentile } from '../demand/latency/mdc-wait.js';
import { limitWithSpareMs, maxQueueLoad, maxSingleLoad, predictPercentileMs } from '../demand/latency/predict-percentile.js';
import type { PercentileRule, Service } from '../demand/workload.js';
import type { MeasuredRow } from './row-index.js';
import { roundingTolerance } from './tolerance.js';

/** Relative width at which a bisection ends; above the last bit of a number, so that it always does. */
const bisectionWidth = 1e-14;

/** The largest load that any latency rule and the service's own limit allow, (0, 1]. */
export function loadCeiling(service: Service): number {
  return Math.min(service.maxUtilization, service.latency.kind === 'percentile' ? maxQueueLoad : 1);
}

/**
 * Predicted latency at a planned load, ms, before the rest of the plan is known: random routing then counts the service's
 * instances so that the prediction can only be too high.
 */
export function predictPlannedMs(rule: PercentileRule, { row, serviceMs, singleMs }: MeasuredRow, load: number, rateRps: number): number {
  const capacityRps = row.throughputRps;
  const serviceCapacityRps = rule.burstiness > 1 ? Math.max(capacityRps, rateRps) : Number.POSITIVE_INFINITY;
  const speed = { serviceMs, singleMs, processes: row.processes, capacityRps };
  return predictPercentileMs(rule, speed, { load, rateRps, serviceCapacityRps });
}

/** Gives the most that a row can be planned to carry for a service, requests per second; 0 when that is not above `worthMore`. */
export type PlannedLimit = (service: Service, rateRps: number, measured: MeasuredRow, worthMore: number) => number;

/**
 * Makes a finder of planned limits by bisection on the forward prediction; it keeps waits of tiny services that many rows share.
 * Answers err upwards, by rounding only.
 */
export function createPlannedLimit(): PlannedLimit {
  const fullestWait = new Map<string, number>();
  const waitAtMost = (processes: number, percentile: number) => {
    const key = `${processes} ${percentile}`;
    const wait = fullestWait.get(key) ?? mdcWaitPercentile(processes, maxSingleLoad, percentile);
    fullestWait.set(key, wait);
    return wait;
  };

  return (service, rateRps, measured, worthMore) => {
    const capacityRps = measured.row.throughputRps;
    const mostRps = loadCeiling(service) * capacityRps;
    if (mostRps <= worthMore) return 0;
    const rule = service.latency;
    if (rule.kind === 'factor') return mostRps;
    const limitMs = limitWithSpareMs(service.latencyMs) * (1 + roundingTolerance / 1000);
    // Without the batch-1 time only the cheap heavy-traffic form is evaluated.
    const heavy = { ...measured, singleMs: undefined };
    const queued = largestBelow(worthMore, mostRps, (rps) => predictPlannedMs(rule, heavy, rps / capacityRps, rateRps) <= limitMs);
    const { singleMs } = measured;
    const { processes } = measured.row;
    if (queued === mostRps || singleMs === undefined || singleMs > limitMs || rule.burstiness > 1) return queued;
    const mostSingleRps = Math.min(mostRps, (maxSingleLoad * 1000 * processes) / singleMs);
    const known = Math.max(queued, worthMore);
    if (mostSingleRps <= known) return queued;
    if (singleMs * (1 + waitAtMost(processes, rule.percentile)) <= limitMs) return mostSingleRps;
    const single = largestBelow(known, mostSingleRps, (rps) => predictPlannedMs(rule, measured, rps / capacityRps, rateRps) <= limitMs);
    return Math.max(queued, single);
  };
}

/** The largest value in (low, high] that passes a test which only small values pass; 0 when `low` itself fails. Errs upwards. */
function largestBelow(low: number, high: number, passes: (value: number) => boolean): number {
  if (passes(high)) return high;
  if (!passes(low)) return 0;
  let below = low;
  let above = high;
  while (above - below > bisectionWidth * above) {
    const middle = (below + above) / 2;
    if (passes(middle)) below = middle;
    else above = middle;
  }
  return above;
}
