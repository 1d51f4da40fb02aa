import { aGpu, profilesOf } from '../gpu/gpu.fixture.js';
import type { PercentileRule, PerformanceRow, Pool, Service, Workload } from './workload.js';

/** The default rule: 99th percentile, Poisson arrivals, round-robin, the safe form. */
export function aRule(parts: Partial<PercentileRule> = {}): PercentileRule {
  return { kind: 'percentile', percentile: 99, burstiness: 1, router: 'round-robin', rule: 'safe', ...parts };
}

/** A row of model `m` on the smallest slice; its latency column is the time of a full batch. */
export function aRow(parts: Partial<PerformanceRow> = {}): PerformanceRow {
  const row = { model: 'm', gpu: 'A100-80GB', profile: '1g.10gb', batch: 1, processes: 1, throughputRps: 100, ...parts };
  return { latencyMs: (1000 * row.batch * row.processes) / row.throughputRps, ...row };
}

/** A service of model `m` without any limit but its latency. */
export function aService(parts: Partial<Service> = {}): Service {
  return {
    name: 's',
    model: 'm',
    rateRps: 100,
    latencyMs: 100,
    minReplicas: 1,
    maxUtilization: 1,
    maxBatch: Number.POSITIVE_INFINITY,
    priority: 0,
    latency: aRule(),
    ...parts,
  };
}

/** A pool of A100-80GB GPUs that offers the smallest slice and the whole. */
export function aPool(parts: Partial<Pool> = {}, profiles: readonly string[] = ['1g.10gb', '7g.80gb']): Pool {
  const gpu = parts.gpu ?? aGpu('A100-80GB');
  return {
    name: 'a100',
    gpu,
    rowsOf: gpu.name,
    count: Number.POSITIVE_INFINITY,
    price: 1,
    profiles: profilesOf(gpu, ...profiles),
    forbid4gWith3g: false,
    ...parts,
  };
}

/** One service on one pool, with the rows given. */
export function aWorkload(parts: Partial<Workload> = {}): Workload {
  return { name: 'w', services: [aService()], pools: [aPool()], rows: [aRow()], maxProcesses: Number.POSITIVE_INFINITY, ...parts };
}
