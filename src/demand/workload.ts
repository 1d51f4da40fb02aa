import type { GpuModel, MigProfile } from '../gpu/gpu-model.js';

/** One measured setting of a model on an instance. */
export interface PerformanceRow {
  readonly model: string;
  /** Canonical GPU model name. */
  readonly gpu: string;
  /** Canonical profile name of that GPU model; `full` for the whole GPU. */
  readonly profile: string;
  readonly batch: number;
  readonly processes: number;
  /** Requests per second of the whole instance (all processes), > 0. */
  readonly throughputRps: number;
  /** Time of one batch as written in the table, ms, > 0. */
  readonly latencyMs: number;
  /** Memory of one process, GiB; absent when not measured. */
  readonly memoryGiB?: number;
  readonly source?: { readonly file: string; readonly line: number };
}

/** Usable up to the load at which the predicted percentile still meets the limit. */
export interface PercentileRule {
  readonly kind: 'percentile';
  /** Percent, [50, 100). */
  readonly percentile: number;
  /** Coefficient of variation of the gaps between arrivals; 1 is Poisson. */
  readonly burstiness: number;
  readonly router: 'round-robin' | 'random';
  readonly rule: 'safe' | 'tight';
}

/** The papers' rule: usable if latency < factor × limit, whatever the load. */
export interface FactorRule {
  readonly kind: 'factor';
  readonly factor: number;
}

export type LatencyRule = PercentileRule | FactorRule;

/** Arrivals whose rate moves, from a trace that was played at the service's mean rate. */
export interface Traffic {
  /** Mean rate, requests per second. */
  readonly meanRps: number;
  /** Length of a window, seconds. */
  readonly windowS: number;
  /** Rate of each window as a multiple of the mean; their mean is 1. */
  readonly rates: readonly number[];
}

/** A model with a required rate and a latency limit; every default filled in. */
export interface Service {
  readonly name: string;
  readonly model: string;
  /** The rate that is planned for; with `traffic` a high quantile of its windows. */
  readonly rateRps: number;
  readonly latencyMs: number;
  /** Present where the latency rule names a trace. */
  readonly traffic?: Traffic;
  /** 1 unless asked for; a service of rate 0 gets nothing in any case. */
  readonly minReplicas: number;
  /** (0, 1]. */
  readonly maxUtilization: number;
  /** Profile names as written by the user; absent = all. */
  readonly profiles?: readonly string[];
  /** Names of the pools it may use; absent when it may use all. */
  readonly pools?: readonly string[];
  /** Infinity when not limited. */
  readonly maxBatch: number;
  readonly priority: number;
  readonly latency: LatencyRule;
}

/** GPUs of one model that may be used; every default filled in. */
export interface Pool {
  readonly name: string;
  readonly gpu: GpuModel;
  /** Canonical name of the GPU model whose rows are used: the pool's own, or the plain model of a variant without rows. */
  readonly rowsOf: string;
  /** Most GPUs; Infinity when not limited. */
  readonly count: number;
  readonly price: number;
  /** Profiles that may be cut and have rows, smallest first; `[full]` with MIG off. */
  readonly profiles: readonly MigProfile[];
  readonly forbid4gWith3g: boolean;
}

/** What must be delivered, with everything resolved and checked: the input of every planner. */
export interface Workload {
  readonly name: string;
  readonly services: readonly Service[];
  readonly pools: readonly Pool[];
  readonly rows: readonly PerformanceRow[];
  /** Most processes per instance; Infinity when not limited. */
  readonly maxProcesses: number;
}
