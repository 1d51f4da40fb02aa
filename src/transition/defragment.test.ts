import { expect, test } from 'vitest';
import { aPool, aService, aWorkload } from '../demand/demand.fixture.js';
import { apiVersion } from '../demand/documents/common.js';
import type { StateDocument } from '../demand/documents/state.js';
import { createInlineSolver } from '../solver/highs/highs-solver.js';
import { defragment } from './defragment.js';
import { brokenPromises } from './transition.fixture.js';

const pool = aPool({ count: 4 }, ['1g.10gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb']);
const service = aService({ rateRps: 300, latencyMs: 1e6, latency: { kind: 'factor', factor: 1 } });
const workload = aWorkload({ pools: [pool], services: [service] });
const solver = await createInlineSolver();

function aState(...gpus: readonly (readonly number[])[]): StateDocument {
  return {
    apiVersion,
    kind: 'State',
    metadata: { name: 'now' },
    services: [{ name: 's', model: 'm', rateRps: 300, latencyMs: 1e6 }],
    gpus: gpus.map((starts, g) => ({
      id: `g${g}`,
      pool: 'a100',
      type: 'A100-80GB',
      instances: starts.map((start) => ({ profile: '1g.10gb', start, service: 's', batch: 1, processes: 1 })),
    })),
  };
}

test('one move on a GPU with 1g@0, 1g@2 and 1g@4 makes room for a 3g', async () => {
  const state = aState([0, 2, 4]);
  const result = await defragment(state, workload, { solver, maxMoves: 1 });
  if (result.kind !== 'transition') throw new Error('no transition');
  expect(brokenPromises(state, result.transition, workload)).toEqual([]);
  const starts = result.transition.target.gpus[0]?.instances.flatMap(({ start, service: name }) => (name === null ? [] : [start]));
  expect(result.transition.counts.podStarts).toBe(1);
  expect(starts?.every((start) => start < 4) ?? false).toBe(true);
});

test('without moves nothing changes', async () => {
  const state = aState([0, 2, 4]);
  const result = await defragment(state, workload, { solver, maxMoves: 0 });
  expect(result).toMatchObject({ kind: 'transition', transition: { steps: [] } });
});

test('a GPU is emptied when that takes no more moves than allowed', async () => {
  const state = aState([0, 1, 2], [5]);
  const result = await defragment(state, workload, { solver, maxMoves: 1 });
  if (result.kind !== 'transition') throw new Error('no transition');
  expect(brokenPromises(state, result.transition, workload)).toEqual([]);
  expect(result.transition.target.gpus.map(({ id }) => id)).toEqual(['g0']);
});
