import type { LatencyRule, PercentileRule } from '../workload.js';
import { mdcWaitPercentile } from './mdc-wait.js';

/** Predictions are held against the limit ÷ 1.1: in simulations of planned services, latencies stayed within about a tenth above the prediction. */
export const latencySpare = 1.1;

/** Largest planned load under a percentile rule: nothing drains a queue that is fuller, and no prediction holds. */
export const maxQueueLoad = 0.98;

/** Largest load at which the closed form for tiny services is used: above it, batches form and its batch-1 times no longer hold. */
export const maxSingleLoad = 0.5;

/** Room for rounding when a sum of shares is compared with a limit. */
const rounding = 1e-9;

/** The rule by which latency is foretold, for information only, where the plan was made under the factor rule. */
const informativeRule: PercentileRule = { kind: 'percentile', percentile: 99, burstiness: 1, router: 'round-robin', rule: 'safe' };

/** What an instance with its row can do. */
export interface InstanceSpeed {
  /** Time of one full batch, ms (`rowServiceMs`). */
  readonly serviceMs: number;
  /** Time of a batch of one on the same profile with the same processes, ms; absent when not measured. */
  readonly singleMs?: number | undefined;
  readonly processes: number;
  /** Throughput of the row, requests per second. */
  readonly capacityRps: number;
}

/** What an instance is given. */
export interface InstanceDemand {
  /** Requests per second that arrive at the instance ÷ its capacity. */
  readonly load: number;
  /** Requests per second of the whole service. */
  readonly rateRps: number;
  /** Capacity of all instances of the service together, requests per second; matters to random routing only. */
  readonly serviceCapacityRps: number;
}

/** The latency limit that predictions are held against, ms. */
export function limitWithSpareMs(latencyMs: number): number {
  return latencyMs / latencySpare;
}

/** Whether a predicted latency meets a limit (both ms) with the spare of the rule, apart from rounding. */
export function meetsLimit(predictedMs: number, latencyMs: number): boolean {
  return predictedMs <= limitWithSpareMs(latencyMs) * (1 + rounding);
}

/**
 * Predicted latency of one instance at the rule's percentile, ms; Infinity at load 1 and above.
 * The smaller of a heavy-traffic form and, for a load so low that batches do not form, the queue M/D/processes with batch-1 times.
 */
export function predictPercentileMs(rule: PercentileRule, speed: InstanceSpeed, demand: InstanceDemand): number {
  return Math.min(queueMs(rule, speed, demand), singleMs(rule, speed, demand.load));
}

/** As `predictPercentileMs`; under the factor rule the 99th percentile of Poisson arrivals for information, and null above load 0.98. */
export function predictLatencyMs(rule: LatencyRule, speed: InstanceSpeed, demand: InstanceDemand): number | null {
  if (rule.kind === 'percentile') return predictPercentileMs(rule, speed, demand);
  return demand.load > maxQueueLoad ? null : predictPercentileMs(informativeRule, speed, demand);
}

/** Mean tail lengths until the percentile is reached, −ln(1 − q): a queue's backlog has an exponential tail in heavy traffic. */
export function tailLengths(percentile: number): number {
  return -Math.log(1 - percentile / 100);
}

/** Batches until an answer: the rest of the running batch and the own one. Processes stagger, which `tight` counts on. */
export function batchesUntilAnswer(rule: PercentileRule, processes: number): number {
  return rule.rule === 'safe' ? 2 : 1 + 1 / Math.sqrt(processes);
}

function queueMs(rule: PercentileRule, speed: InstanceSpeed, demand: InstanceDemand): number {
  const { load } = demand;
  if (load >= 1) return Number.POSITIVE_INFINITY;
  const batchesMs = batchesUntilAnswer(rule, speed.processes) * speed.serviceMs;
  const fullness = load / (1 - load);
  const scatter = rule.burstiness ** 2;
  const half = 500 * tailLengths(rule.percentile);
  if (rule.router === 'random') {
    const ownScatter = 1 + (scatter - 1) * (speed.capacityRps / demand.serviceCapacityRps);
    return batchesMs + (half * ownScatter * fullness) / speed.capacityRps;
  }
  return batchesMs + (half * scatter * (rule.rule === 'safe' ? fullness : load * fullness)) / demand.rateRps;
}

function singleMs(rule: PercentileRule, speed: InstanceSpeed, load: number): number {
  if (speed.singleMs === undefined || rule.burstiness > 1) return Number.POSITIVE_INFINITY;
  const singleLoad = (load * speed.capacityRps * speed.singleMs) / (1000 * speed.processes);
  if (singleLoad > maxSingleLoad * (1 + rounding)) return Number.POSITIVE_INFINITY;
  return speed.singleMs * (1 + mdcWaitPercentile(speed.processes, singleLoad, rule.percentile));
}
