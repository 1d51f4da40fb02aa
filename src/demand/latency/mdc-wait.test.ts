import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mdcWaitPercentile, mdcWaitTail } from './mdc-wait.js';

/** P(wait ≤ x) of M/D/1 by Erlang's alternating series, exact at low loads; x in service times. */
function erlangSeries(load: number, x: number): number {
  let sum = 0;
  let factorial = 1;
  for (let k = 0; k <= Math.floor(x); k++) {
    if (k > 0) factorial *= k;
    sum += ((-load * (x - k)) ** k / factorial) * Math.exp(load * (x - k));
  }
  return (1 - load) * sum;
}

/** Waits of a simulated M/D/c in service times: with fixed times, first come first served is every c-th request to the same server. */
function simulateWaits(servers: number, load: number, requests: number): Float64Array {
  let seed = 12345;
  const random = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return (seed + 0.5) / 2 ** 32;
  };
  const freeAt = new Float64Array(servers);
  const waits = new Float64Array(requests);
  let now = 0;
  for (let i = 0; i < requests; i++) {
    now -= Math.log(random()) / (servers * load);
    const server = i % servers;
    const start = Math.max(now, freeAt[server] as number);
    waits[i] = start - now;
    freeAt[server] = start + 1;
  }
  return waits.sort();
}

describe('the wait in M/D/c', () => {
  test('of one server follows the alternating series', () => {
    for (const load of [0.01, 0.1, 0.3, 0.5]) {
      const tail = mdcWaitTail(1, load, 0.01);
      for (const x of [0, 0.2, 0.999, 1, 1.5, 2, 3.7]) expect(1 - tail(x)).toBeCloseTo(erlangSeries(load, x), 10);
    }
  });

  test('of one server is zero with the share of idle time', () => {
    expect(mdcWaitTail(1, 0.25, 0.01)(0)).toBeCloseTo(0.25, 12);
    expect(mdcWaitPercentile(1, 0.01, 99)).toBe(0);
  });

  test('has the mean of the textbook formula', () => {
    const tail = mdcWaitTail(1, 0.5, 1e-6);
    const step = 1e-3;
    let mean = 0;
    for (let x = step / 2; x < 12; x += step) mean += tail(x) * step;
    expect(mean).toBeCloseTo(0.5 / (2 * (1 - 0.5)), 5);
  });

  test.each([
    [3, 0.5, 99],
    [3, 0.3, 95],
    [8, 0.5, 90],
  ])('of %i servers at load %f has the simulated percentile %i', (servers, load, percentile) => {
    const waits = simulateWaits(servers, load, 300_000);
    const simulated = waits[Math.floor((waits.length * percentile) / 100)] as number;
    expect(Math.abs(mdcWaitPercentile(servers, load, percentile) - simulated)).toBeLessThan(0.02);
  });

  test('keeps its digits for the rarest waits', () => {
    const tail = mdcWaitTail(1, 0.5, 1e-14);
    // Far out the tail falls by e^(−0.5 · (3.5129 − 1)) a service time.
    expect(tail(24) / tail(25)).toBeCloseTo(Math.exp(0.5 * 2.512862417252339), 6);
  });

  test('falls with x, rises with the load, and its percentile is where the tail says', () => {
    const cases = fc.record({
      servers: fc.integer({ min: 1, max: 12 }),
      load: fc.double({ min: 1e-4, max: 0.5, noNaN: true }),
      percentile: fc.double({ min: 50, max: 99.99, noNaN: true }),
    });
    fc.assert(
      fc.property(cases, ({ servers, load, percentile }) => {
        const wait = mdcWaitPercentile(servers, load, percentile);
        const allowed = 1 - percentile / 100;
        const tail = mdcWaitTail(servers, load, allowed);
        expect(tail(wait)).toBeLessThanOrEqual(allowed);
        if (wait > 0) expect(tail(wait * (1 - 1e-9))).toBeGreaterThan(allowed * (1 - 1e-12));
        expect(tail(wait + 0.1)).toBeLessThanOrEqual(tail(wait));
        expect(mdcWaitTail(servers, load * 0.99, allowed)(wait)).toBeLessThan(tail(wait) * (1 + 1e-9));
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  test('works for as many processes as MPS allows', () => {
    expect(mdcWaitPercentile(48, 0.5, 99)).toBe(0);
    expect(mdcWaitPercentile(48, 0.5, 99.9999)).toBeGreaterThan(0);
  });
});
