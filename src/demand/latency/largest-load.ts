import type { PercentileRule } from '../workload.js';
import { mdcWaitPercentile, mdcWaitTail } from './mdc-wait.js';
import { batchesUntilAnswer, maxQueueLoad, maxSingleLoad, tailLengths } from './predict-percentile.js';

/**
 * The largest load at which the heavy-traffic form of the prediction meets `limitMs`, [0, 0.98]; 0 means unusable.
 * Under random routing the share of the service is not known before the plan is: the least favourable one is taken.
 */
export function createQueueLoadLimit(
  rule: PercentileRule,
  rateRps: number,
  limitMs: number,
): (serviceMs: number, processes: number, capacityRps: number) => number {
  const scatter = rule.burstiness ** 2;
  const half = 500 * tailLengths(rule.percentile);
  return (serviceMs, processes, capacityRps) => {
    const slackMs = limitMs - batchesUntilAnswer(rule, processes) * serviceMs;
    if (slackMs <= 0) return 0;
    if (rule.router === 'random') {
      const ownScatter = scatter > 1 ? 1 + (scatter - 1) * Math.min(1, capacityRps / rateRps) : 1;
      return Math.min(maxQueueLoad, 1 / (1 + (half * ownScatter) / (slackMs * capacityRps)));
    }
    // The reciprocal of the planner's k: zero without scatter, where every load is calm.
    const crowding = (half * scatter) / (slackMs * rateRps);
    return Math.min(maxQueueLoad, rule.rule === 'safe' ? 1 / (1 + crowding) : 2 / (1 + Math.sqrt(1 + 4 * crowding)));
  };
}

/**
 * The largest load, [0, 0.5], at which the wait of M/D/servers stays within `waits` service times at the percentile; 0 when there is none.
 * Keeps what it found, so one function should answer many questions.
 */
export function createSingleLoadLimit(percentile: number): (servers: number, waits: number) => number {
  const allowed = 1 - percentile / 100;
  const waitsAtMost: number[] = [];
  const found = new Map<number, Map<number, number>>();
  return (servers, waits) => {
    if (waits < 0) return 0;
    waitsAtMost[servers] ??= mdcWaitPercentile(servers, maxSingleLoad, percentile);
    if (waitsAtMost[servers] <= waits) return maxSingleLoad;
    const known = found.get(servers) ?? new Map<number, number>();
    found.set(servers, known);
    const excess = (load: number) => Math.log(Math.max(mdcWaitTail(servers, load, allowed)(waits), Number.MIN_VALUE) / allowed);
    const load = known.get(waits) ?? findRoot(excess, maxSingleLoad);
    known.set(waits, load);
    return load;
  };
}

/** A load at which the rising function `excess`, positive at `high`, is between −1e-10 and 0: regula falsi (Illinois) in the logarithm of the load, where it is nearly straight. */
function findRoot(excess: (load: number) => number, high: number): number {
  const aim = 5e-11;
  const distance = (position: number) => excess(Math.exp(position)) + aim;
  let right = Math.log(high);
  let above = distance(right);
  let left = right - 1;
  let below = distance(left);
  while (below > 0) {
    right = left;
    above = below;
    left -= 1;
    below = distance(left);
  }
  let lastSide = 0;
  while (true) {
    const middle = (left * above - right * below) / (above - below);
    const value = distance(middle);
    if (Math.abs(value) <= aim || right - left < 1e-12) return Math.exp(value <= aim ? middle : left);
    const side = Math.sign(value);
    // An end that stays twice is given half its weight, or the other end would creep.
    const keep = side === lastSide ? 0.5 : 1;
    if (side < 0) {
      left = middle;
      below = value;
      above *= keep;
    } else {
      right = middle;
      above = value;
      below *= keep;
    }
    lastSide = side;
  }
}
