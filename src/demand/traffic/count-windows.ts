import type { Trace } from './trace.js';

/**
 * Requests in each whole window of `windowS` seconds from the start of a trace, the whole second of its first request; what is left at the end is dropped. For counts the window
 * is rounded to whole steps, at least one. Empty when the trace is shorter than a window.
 */
export function countWindows(trace: Trace, windowS: number): Float64Array {
  if (trace.kind === 'counts') return joinSteps(trace.counts, Math.max(1, Math.round(windowS / trace.stepS)));
  const { stampsS } = trace;
  const first = Math.floor(stampsS[0] as number);
  const counts = new Float64Array(Math.floor(((stampsS.at(-1) as number) - first) / windowS));
  for (const stamp of stampsS) {
    const window = Math.floor((stamp - first) / windowS);
    if (window < counts.length) counts[window] = (counts[window] as number) + 1;
  }
  return counts;
}

/** The length that a window really has, seconds: whole steps for counts. */
export function windowSeconds(trace: Trace, windowS: number): number {
  return trace.kind === 'counts' ? trace.stepS * Math.max(1, Math.round(windowS / trace.stepS)) : windowS;
}

/** How many times the mean the rate is in the busiest windows that it takes to hold a share `quantile` of all requests, quiet ones first. */
export function peakFactor(counts: Float64Array, quantile: number): number {
  const sorted = counts.toSorted();
  const total = sorted.reduce((sum, count) => sum + count, 0);
  let held = 0;
  for (const count of sorted) {
    held += count;
    if (held >= quantile * total * (1 - 1e-12)) return (count * sorted.length) / total;
  }
  return Number.NaN;
}

function joinSteps(counts: Float64Array, steps: number): Float64Array {
  return Float64Array.from({ length: Math.floor(counts.length / steps) }, (_, window) =>
    counts.subarray(window * steps, (window + 1) * steps).reduce((sum, count) => sum + count, 0),
  );
}
