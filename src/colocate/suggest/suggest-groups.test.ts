import { expect, test } from 'vitest';
import { createInlineSolver } from '../../solver/highs/highs-solver.js';
import { groupKey } from '../group/rate-groups.js';
import { trainInterference } from '../predictor/train-interference.js';
import { syntheticGroups, syntheticWorkloads } from '../synthetic-measurements.fixture.js';
import { suggestGroups } from './suggest-groups.js';

const workloads = syntheticWorkloads();
const model = trainInterference('synthetic', syntheticGroups(workloads, 15), workloads);
const measured = new Set(model.training.groups.map(({ members }) => groupKey(members)));

test('never suggests a measured group or one group twice, and the same call gives the same groups', async () => {
  const suggested = await suggestGroups(workloads, model, 20);
  const keys = suggested.map(({ members }) => groupKey(members));
  expect(keys.filter((key) => measured.has(key))).toEqual([]);
  expect(new Set(keys).size).toBe(20);
  expect(await suggestGroups(workloads, model, 20)).toEqual(suggested);
});

test('suggests workloads that no group has shown before others', async () => {
  const shown = model.training.groups.filter(({ members }) => !members.includes('model2-b16'));
  const [first] = await suggestGroups(workloads, { ...model, training: { ...model.training, groups: shown } }, 1);
  expect(first?.members).toContain('model2-b16');
});

test('with jobs, suggests what their best grouping would use first', async () => {
  const jobs = workloads.map(({ name }) => ({ name: `job ${name}`, workload: name }));
  const options = { objective: 'throughput', maxGroup: 3, gpus: 4, solver: await createInlineSolver() } as const;
  const suggested = await suggestGroups(workloads, model, 6, { document: { jobs, gpu: { memoryGiB: 40 } }, options });
  expect(suggested).toHaveLength(6);
  expect(suggested.map(({ reason }) => reason)).toEqual(suggested.map(({ reason }) => reason).toSorted());
  expect(suggested[0]?.reason).toBe('plan');
});

test('with jobs, first shows every workload once: a plan about workloads that no group has shown is a guess', async () => {
  const jobs = workloads.map(({ name }) => ({ name: `job ${name}`, workload: name }));
  const options = { objective: 'throughput', maxGroup: 2, gpus: 5, solver: await createInlineSolver() } as const;
  const one = trainInterference('one', model.training.groups.slice(0, 1), workloads);
  const suggested = await suggestGroups(workloads, one, 9, { document: { jobs, gpu: { memoryGiB: 40 } }, options });
  expect(suggested).toHaveLength(9);
  const reasons = suggested.map(({ reason }) => reason);
  expect(reasons).toEqual(['unseen', 'plan', 'uncertain'].flatMap((reason) => reasons.filter((other) => other === reason)));
  const shown = new Set(
    [...one.training.groups, ...suggested.filter(({ reason }) => reason === 'unseen')].flatMap(({ members }) => members),
  );
  expect(shown.size).toBe(workloads.length);
  expect(new Set(suggested.map(({ members }) => groupKey(members))).size).toBe(9);
});

test('with jobs that no grouping brings onto so few GPUs, suggests what the tightest one would use', async () => {
  const jobs = workloads.map(({ name }) => ({ name: `job ${name}`, workload: name }));
  const options = { objective: 'throughput', maxGroup: 3, gpus: 1, solver: await createInlineSolver() } as const;
  const suggested = await suggestGroups(workloads, model, 3, { document: { jobs, gpu: { memoryGiB: 40 } }, options });
  expect(suggested.map(({ reason }) => reason)).toEqual(['plan', 'plan', 'plan']);
});

test('ends when everything is measured', async () => {
  const few = workloads.slice(0, 2);
  expect((await suggestGroups(few, { ...model, training: { ...model.training, groups: [] } }, 50)).length).toBe(3);
});
