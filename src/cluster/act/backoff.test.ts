import { describe, expect, it } from 'vitest';
import { deployments, pods } from '../client/resources.js';
import type { Write } from '../decide/write.js';
import { createBackoff } from './backoff.js';

const where = { namespace: 'team', name: 'media-tags' };
const scaled = (replicas: number): Write => ({
  kind: 'apply',
  resource: deployments,
  where,
  object: { metadata: where, spec: { replicas } } as never,
  why: 'test',
});
const patched: Write = { kind: 'patch', resource: pods, where, body: { spec: {} }, why: 'test' };

/** Waits before each of some writes in a row, made as soon as they may be; from the second on. */
function waitsOf(write: (n: number) => Write, count: number, pauseMs = 0): number[] {
  const backoff = createBackoff();
  let nowMs = 0;
  return Array.from({ length: count }, (_, n) => {
    const waitMs = backoff.waitMs(write(n), nowMs);
    nowMs += waitMs;
    backoff.done(write(n), nowMs);
    nowMs += pauseMs;
    return waitMs;
  });
}

describe('objects that are applied again and again', () => {
  it('wait longer each time when they say the same: somebody undoes them', () => {
    expect(waitsOf(() => scaled(1), 11)).toEqual([0, 0, 0, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  });

  it('never wait when they say something else, when time has passed, or when they are patched', () => {
    expect(new Set(waitsOf(scaled, 20))).toEqual(new Set([0]));
    expect(new Set(waitsOf(() => patched, 20))).toEqual(new Set([0]));
    expect(new Set(waitsOf(() => scaled(1), 20, 60_000))).toEqual(new Set([0]));
  });
});

describe('writes that were refused', () => {
  it('wait longer each time, at least as long as the server asks, until one is made', () => {
    const backoff = createBackoff();
    const waits = [0, 0, 30_000, 0].map((retryAfterMs) => {
      backoff.refused(scaled(1), retryAfterMs, 0);
      return backoff.waitMs(scaled(1), 0);
    });
    expect(waits).toEqual([500, 1000, 30_000, 15_000]);
    backoff.done(scaled(1), 0);
    expect(backoff.waitMs(scaled(1), 0)).toBe(0);
  });
});
