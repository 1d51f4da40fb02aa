import { describe, expect, it } from 'vitest';
import { resolveTraffic } from './resolve-traffic.js';
import type { Trace } from './traffic/trace.js';

const trace: Trace = { kind: 'counts', stepS: 10, counts: Float64Array.of(1, 3, 2, 2, 6, 4) };
const resolve = (rule: Parameters<typeof resolveTraffic>[0]) => resolveTraffic(rule, 'spec.latency', () => trace);

describe('resolveTraffic', () => {
  it('counts in windows, and plans for the quantile of their rates', () => {
    expect(resolve({ trace: 't.csv', window: '20s', quantile: 0.5 })).toEqual({
      shape: { windowS: 20, rates: [4 / 6, 4 / 6, 10 / 6], factor: 10 / 6 },
      problems: [],
    });
    expect(resolve({ trace: 't.csv', window: '20s', quantile: 0.4 }).shape?.factor).toBeCloseTo(2 / 3, 9);
  });

  it('takes windows of 30 s and 99 % where nothing is said', () => {
    expect(resolve({ trace: 't.csv' }).shape).toMatchObject({ windowS: 30, factor: 12 / 9 });
  });

  it('has nothing to say without a trace, unless keys speak of one', () => {
    expect(resolve({})).toEqual({ problems: [] });
    expect(resolve({ window: '30s' }).problems).toMatchObject([{ code: 'MISSING_KEY', path: 'spec.latency.window' }]);
    expect(resolve({ quantile: 1 }).problems).toMatchObject([{ code: 'MISSING_KEY', path: 'spec.latency.quantile' }]);
  });

  it('refuses a trace that is shorter than a window, and one that was not given', () => {
    expect(resolve({ trace: 't.csv', window: '5m' }).problems).toMatchObject([{ code: 'INVALID_VALUE', received: '60 s' }]);
    expect(resolveTraffic({ trace: 't.csv' }, 'p', undefined).problems).toMatchObject([{ code: 'FILE_NOT_FOUND', path: 'p.trace' }]);
    expect(resolveTraffic({ trace: 't.csv' }, 'p', () => undefined)).toEqual({ problems: [] });
  });
});
