import type { LimitedBy } from './documents/plan.js';
import type { ModelRows } from './index-rows.js';
import { createQueueLoadLimit, createSingleLoadLimit } from './latency/largest-load.js';
import { limitWithSpareMs, maxQueueLoad } from './latency/predict-percentile.js';
import type { Service } from './workload.js';

/** A rule that can be lifted to see what it costs. */
export type Rule = Exclude<LimitedBy, 'none'>;

/** What a service demands of the rows of its model at one rate. */
export interface RowRules {
  readonly maxBatch: number;
  readonly maxProcesses: number;
  readonly checksMemory: boolean;
  /** Largest load by maxUtilization. */
  readonly maxLoad: number;
  /** Largest load by the latency rule, save the closed form for tiny services; 0 means unusable. */
  queueLoad(rows: ModelRows, row: number): number;
  /** Largest rate by the closed form for tiny services, requests per second; 0 when it does not apply. Never above `singleRpsAtMost` of the row. */
  singleRps(rows: ModelRows, row: number): number;
}

/** Makes the rules of services; those made by one maker share what they learn about percentiles. */
export function createRuleMaker(maxProcesses: number): (service: Service, rateRps: number, lifted?: Rule) => RowRules {
  const singleLimits = new Map<number, ReturnType<typeof createSingleLoadLimit>>();
  const singleLimitOf = (percentile: number) => {
    const limit = singleLimits.get(percentile) ?? createSingleLoadLimit(percentile);
    singleLimits.set(percentile, limit);
    return limit;
  };
  return (service, rateRps, lifted) => ({
    maxBatch: lifted === 'batch' ? Number.POSITIVE_INFINITY : service.maxBatch,
    maxProcesses: lifted === 'processes' ? Number.POSITIVE_INFINITY : maxProcesses,
    checksMemory: lifted !== 'memory',
    maxLoad: lifted === 'utilization' ? 1 : service.maxUtilization,
    ...latencyLoads(service, rateRps, lifted === 'latency', singleLimitOf),
  });
}

/** Largest load of a row under all rules, (0, 1]; 0 means unusable. `memoryGiB` is what the slice has. */
export function rowLoad(rules: RowRules, rows: ModelRows, row: number, memoryGiB: number): number {
  if (!fits(rules, rows, row, memoryGiB)) return 0;
  const load = Math.min(rules.maxLoad, rules.queueLoad(rows, row));
  const throughput = rows.throughputRps[row] as number;
  return (rows.singleRpsAtMost[row] as number) > load * throughput ? Math.max(load, singleRowRps(rules, rows, row) / throughput) : load;
}

/** Whether batch, processes and memory allow a row. */
export function fits(rules: RowRules, rows: ModelRows, row: number, memoryGiB: number): boolean {
  return (
    (rows.batch[row] as number) <= rules.maxBatch &&
    (rows.processes[row] as number) <= rules.maxProcesses &&
    !(rules.checksMemory && (rows.memoryGiB[row] as number) > memoryGiB)
  );
}

/** Largest rate of a row by the closed form for tiny services, within maxUtilization and the cap on planned loads, requests per second. */
export function singleRowRps(rules: RowRules, rows: ModelRows, row: number): number {
  return Math.min(rules.singleRps(rows, row), Math.min(rules.maxLoad, maxQueueLoad) * (rows.throughputRps[row] as number));
}

function latencyLoads(
  service: Service,
  rateRps: number,
  lifted: boolean,
  singleLimitOf: (percentile: number) => ReturnType<typeof createSingleLoadLimit>,
): Pick<RowRules, 'queueLoad' | 'singleRps'> {
  const rule = service.latency;
  const none = () => 0;
  if (rule.kind === 'factor') {
    const boundMs = lifted ? Number.POSITIVE_INFINITY : rule.factor * service.latencyMs;
    return { queueLoad: (rows, row) => ((rows.latencyMs[row] as number) < boundMs ? 1 : 0), singleRps: none };
  }
  if (lifted) return { queueLoad: () => maxQueueLoad, singleRps: none };
  const limitMs = limitWithSpareMs(service.latencyMs);
  const queueLimit = createQueueLoadLimit(rule, rateRps, limitMs);
  const queueLoad: RowRules['queueLoad'] = (rows, row) =>
    queueLimit(rows.serviceMs[row] as number, rows.processes[row] as number, rows.throughputRps[row] as number);
  if (rule.burstiness > 1) return { queueLoad, singleRps: none };
  const singleLimit = singleLimitOf(rule.percentile);
  return {
    queueLoad,
    singleRps: (rows, row) => {
      const singleMs = rows.singleMs[row] as number;
      const processes = rows.processes[row] as number;
      return Number.isNaN(singleMs) ? 0 : (singleLimit(processes, limitMs / singleMs - 1) * 1000 * processes) / singleMs;
    },
  };
}
