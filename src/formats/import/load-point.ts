import { tidy } from './milliseconds.js';

/** The latency that becomes `latency_ms`: a percentile in percent, (0, 100], or the mean, which has to be asked for by name. */
export type Percentile = number | 'mean';

/** Under which load a point was measured. Two points of one setting under the same load must agree. */
export interface Load {
  /** Such as `concurrency`; with whatever else tells points apart that are no repetitions. */
  readonly kind: string;
  readonly value: number;
  /** The file does not say, so that each file counts as a load of its own. */
  readonly isUnknown?: true;
}

/** What a measurement file itself says of the setting; what is absent has to be given. */
export interface StatedSetting {
  readonly model?: string;
  readonly batch?: number;
  readonly processes?: number;
  /** Mean lengths of a request to a language model, tokens. */
  readonly promptTokens?: number;
  readonly responseTokens?: number;
  /** A language model: its rows hold for one prompt and response length only. */
  readonly isLanguage?: true;
}

/** The latency of a point. */
export type PointLatency =
  | { readonly kind: 'measured'; readonly ms: number }
  /** The chosen percentile is empty, NaN, infinite or 0. */
  | { readonly kind: 'not-finite' }
  /** Every request was sent at once: the time says how many they were, not how long one takes. */
  | { readonly kind: 'saturated' };

/** One measured point of a load sweep, in the units of a performance table. */
export interface LoadPoint {
  readonly file: string;
  readonly line: number;
  readonly stated: StatedSetting;
  readonly load: Load;
  /** Requests per second of the whole instance, >= 0; 0 when the point did not run. */
  readonly throughputRps: number;
  readonly latency: PointLatency;
  /** Memory of all processes together, GiB, > 0. */
  readonly memoryGiB?: number;
  /** What else the row's source should say. */
  readonly remarks: readonly string[];
}

/** A load in words: `concurrency 16`. */
export function describeLoad({ kind, value }: Load): string {
  return Number.isNaN(value) ? kind : `${kind} ${value}`;
}

/** A latency in words: `p99` or `mean`. */
export function describePercentile(percentile: Percentile): string {
  return percentile === 'mean' ? 'mean' : `p${percentile}`;
}

/** A latency that a tool wrote: 0 and NaN mean that no request was timed. */
export function latencyOf(ms: number): PointLatency {
  return ms > 0 ? { kind: 'measured', ms: tidy(ms) } : { kind: 'not-finite' };
}
