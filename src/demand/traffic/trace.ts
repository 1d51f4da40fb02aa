/** When requests arrived: the time of each, or how many in each step. */
export type Trace =
  /** Seconds, never falling, at least one. */
  | { readonly kind: 'stamps'; readonly stampsS: Float64Array }
  /** Requests in each step of `stepS` seconds, at least one in all. */
  | { readonly kind: 'counts'; readonly stepS: number; readonly counts: Float64Array };

/** Requests in a trace. */
export function countRequests(trace: Trace): number {
  return trace.kind === 'stamps' ? trace.stampsS.length : trace.counts.reduce((sum, count) => sum + count, 0);
}

/** Length of a trace, seconds: from the first request to the last, or all steps. */
export function traceSeconds(trace: Trace): number {
  if (trace.kind === 'counts') return trace.stepS * trace.counts.length;
  return (trace.stampsS.at(-1) as number) - (trace.stampsS[0] as number);
}
