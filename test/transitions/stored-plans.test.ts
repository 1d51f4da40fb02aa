import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyTransition } from '../../src/verify/verify-transition.js';
import { readStoredPlan } from './stored-plan.fixture.js';

const data = process.env['INLAY_DATA'];
const none = { kept: 0, restartsInPlace: 0, moves: 0, temporaryPods: 0, instanceCreations: 0, instanceDeletions: 0, wipes: 0 };

describe.skipIf(data === undefined)(`known transitions${data === undefined ? ' (skipped: INLAY_DATA is not set)' : ''}`, () => {
  beforeAll(() => {
    if (data !== undefined && !existsSync(data)) throw new Error(`INLAY_DATA names ${data}, which does not exist.`);
  });

  const two = { ...none, moves: 2, instanceCreations: 2, instanceDeletions: 2, gpusTouched: 2 };
  it.each([
    ['m01', 'm01-plan-e1', { counts: { ...two, podStarts: 2 }, peakGpus: 2, maxExtraGpus: 1 }],
    ['m01', 'm01-plan-e1-in-place', { counts: { ...two, podStarts: 4, temporaryPods: 2 }, peakGpus: 2, maxExtraGpus: 1 }],
    [
      't01',
      't01-plan-e1',
      {
        counts: { ...none, kept: 11, podStarts: 10, moves: 3, instanceCreations: 6, instanceDeletions: 1, gpusTouched: 6 },
        peakGpus: 7,
        maxExtraGpus: 1,
      },
    ],
  ])('accepts %s by %s', (name, file, claims) => {
    const { state, transition, workload } = readStoredPlan(name, file, claims);
    const { checks } = verifyTransition(state, transition, workload);
    expect(checks.flatMap(({ violations }) => violations)).toEqual([]);
  });

  it('tells the dip of a plan that has one, at its times and under delay', () => {
    const claims = { counts: { ...none, podStarts: 2, moves: 2, gpusTouched: 1 }, peakGpus: 1, maxExtraGpus: 0 };
    const { state, transition, workload } = readStoredPlan('m01', 'm01-plan-dip', claims);
    const { checks } = verifyTransition(state, transition, workload);
    expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['floor', 'floor under delay']);
    expect(checks.flatMap(({ violations }) => violations)[0]).toEqual({
      where: 'a',
      message: 'a: falls below its floor at 0 s, when d1 starts.',
      expected: 'at least 712 rps',
      received: '0 rps',
    });
  });
});
