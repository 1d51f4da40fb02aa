import { countWindows, peakFactor, windowSeconds } from './count-windows.js';
import { countRequests, type Trace, traceSeconds } from './trace.js';

/** How uneven the counts of windows of one length are. A Poisson process has 1 and, for busy windows, hardly more than 1. */
export interface WindowShape {
  readonly windowS: number;
  readonly varianceToMean: number;
  readonly peakToMean: number;
}

/** What planning needs to know of a trace. */
export interface TraceShape {
  readonly requests: number;
  readonly seconds: number;
  readonly meanRps: number;
  /** Coefficient of variation of the gaps; absent for counts. */
  readonly gapVariation?: number;
  /** The same for gaps measured in the mean gap of their window: how uneven arrivals are once the rate's moves are taken out. */
  readonly localVariation?: number;
  readonly windows: readonly WindowShape[];
  /** Planning settings that fit, when the trace has at least two windows. */
  readonly settings?: {
    readonly windowS: number;
    readonly quantile: number;
    readonly burstiness: number;
    /** What the mean rate is multiplied by. */
    readonly factor: number;
  };
}

const shownWindowsS = [1, 10, 60] as const;
const usualWindowS = 30;
const usualQuantile = 0.99;
/** Windows with fewer requests tell nothing about their gaps. */
const fewestInWindow = 10;

/** Describes a trace of at least one request. */
export function describeTrace(trace: Trace): TraceShape {
  const seconds = traceSeconds(trace);
  const requests = countRequests(trace);
  const gapVariation = trace.kind === 'stamps' && requests > 2 ? variationOf(gapsOf(trace.stampsS)) : undefined;
  const localVariation = trace.kind === 'stamps' ? localVariationOf(trace.stampsS, usualWindowS) : undefined;
  const counts = countWindows(trace, usualWindowS);
  return {
    requests,
    seconds,
    meanRps: requests / seconds,
    ...(gapVariation === undefined ? {} : { gapVariation }),
    ...(localVariation === undefined ? {} : { localVariation }),
    windows: shownWindowsS.flatMap((windowS) => describeWindows(trace, windowS)),
    ...(counts.length < 2
      ? {}
      : {
          settings: {
            windowS: windowSeconds(trace, usualWindowS),
            quantile: usualQuantile,
            burstiness: Math.max(1, Math.ceil((localVariation ?? 1) * 10 - 1) / 10),
            factor: peakFactor(counts, usualQuantile),
          },
        }),
  };
}

function describeWindows(trace: Trace, windowS: number): readonly WindowShape[] {
  const counts = countWindows(trace, windowS);
  if (counts.length < 2 || windowSeconds(trace, windowS) !== windowS) return [];
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counts.length;
  return [{ windowS, varianceToMean: variance / mean, peakToMean: counts.reduce((most, count) => Math.max(most, count), 0) / mean }];
}

function gapsOf(stampsS: Float64Array): Float64Array {
  return stampsS.subarray(1).map((stamp, i) => stamp - (stampsS[i] as number));
}

function variationOf(values: ArrayLike<number>): number {
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    sum += values[i] as number;
    squares += (values[i] as number) ** 2;
  }
  const mean = sum / values.length;
  return Math.sqrt(Math.max(0, squares / values.length - mean ** 2)) / mean;
}

function localVariationOf(stampsS: Float64Array, windowS: number): number | undefined {
  const first = Math.floor(stampsS[0] as number);
  const relative: number[] = [];
  for (let from = 0; from < stampsS.length; ) {
    const window = Math.floor(((stampsS[from] as number) - first) / windowS);
    let to = from;
    while (to < stampsS.length && Math.floor(((stampsS[to] as number) - first) / windowS) === window) to++;
    const meanGapS = ((stampsS[to - 1] as number) - (stampsS[from] as number)) / (to - from - 1);
    if (to - from >= fewestInWindow && meanGapS > 0) {
      for (let i = from + 1; i < to; i++) relative.push(((stampsS[i] as number) - (stampsS[i - 1] as number)) / meanGapS);
    }
    from = to;
  }
  return relative.length < fewestInWindow ? undefined : variationOf(relative);
}
