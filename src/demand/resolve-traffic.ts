import { type Problem, problem } from '../errors.js';
import { showNumber } from './show-number.js';
import { countWindows, peakFactor, windowSeconds } from './traffic/count-windows.js';
import { type Trace, traceSeconds } from './traffic/trace.js';

/** Finds a trace by the path that a workload names it by; undefined when it could not be read, which is told elsewhere. */
export type TraceFinder = (path: string) => Trace | undefined;

/** The shape of a service's traffic: what it is played with and what it is planned for. */
export interface TrafficShape {
  readonly windowS: number;
  /** Rate of each window as a multiple of the mean. */
  readonly rates: readonly number[];
  /** What the mean rate is multiplied by to plan. */
  readonly factor: number;
}

/** The keys of a latency rule that speak of a trace. */
export interface TrafficKeys {
  readonly trace?: string | undefined;
  readonly window?: string | undefined;
  readonly quantile?: number | undefined;
}

const usualWindow = '30s';
const usualQuantile = 0.99;
const msPerUnit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Turns the trace of a latency rule at `path` into a shape; nothing when the rule names none or it is wrong. */
export function resolveTraffic(
  rule: TrafficKeys,
  path: string,
  findTrace: TraceFinder | undefined,
): { readonly shape?: TrafficShape; readonly problems: readonly Problem[] } {
  if (rule.trace === undefined) {
    const key = rule.window !== undefined ? 'window' : rule.quantile !== undefined ? 'quantile' : undefined;
    if (key === undefined) return { problems: [] };
    const details = { message: `${path}.${key} is about a trace, and none is named.`, path: `${path}.${key}`, expected: 'trace beside it' };
    return { problems: [problem('MISSING_KEY', details)] };
  }
  if (findTrace === undefined) {
    const details = { message: `The trace ${rule.trace} was not given.`, path: `${path}.trace`, expected: 'a trace that was read before' };
    return { problems: [problem('FILE_NOT_FOUND', details)] };
  }
  const trace = findTrace(rule.trace);
  if (trace === undefined) return { problems: [] };
  const wantedS = parseSeconds(rule.window ?? usualWindow);
  const counts = countWindows(trace, wantedS);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) {
    const details = {
      message: `The trace ${rule.trace} has no whole window with requests in it.`,
      path: `${path}.trace`,
      expected: `at least ${rule.window ?? usualWindow}, the length of a window`,
      received: `${showNumber(traceSeconds(trace))} s`,
    };
    return { problems: [problem('INVALID_VALUE', details)] };
  }
  return {
    shape: {
      windowS: windowSeconds(trace, wantedS),
      rates: Array.from(counts, (count) => (count * counts.length) / total),
      factor: peakFactor(counts, rule.quantile ?? usualQuantile),
    },
    problems: [],
  };
}

function parseSeconds(text: string): number {
  const [, number = '', unit = 's'] = /^([\d.]+)(ms|s|m|h)$/.exec(text) ?? [];
  return (Number(number) * msPerUnit[unit as keyof typeof msPerUnit]) / 1000;
}
