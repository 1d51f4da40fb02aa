import { describe, expect, test } from 'vitest';
import type { StateDocument } from '../demand/documents/state.js';
import { problemLines, problemsOf } from './problem-lines.fixture.js';
import { readGpuModels } from './read-gpu-models.js';
import { readPlan } from './read-plan.js';
import { readState } from './read-state.js';
import { syntheticPlan } from './synthetic-plan.fixture.js';
import { useTemporaryFolder } from './temporary-folder.fixture.js';
import { formatDocument, writeTextFile } from './write-document.js';

const folder = useTemporaryFolder();

const state: StateDocument = {
  apiVersion: 'inlay.dev/v1alpha1',
  kind: 'State',
  metadata: { name: 'synthetic' },
  services: [{ name: 'first', model: 'small', rateRps: 10, latencyMs: 100 }],
  gpus: [
    {
      id: 'gpu-1',
      pool: 'a100',
      type: 'A100-80GB',
      node: 'n1',
      index: 0,
      instances: [
        { profile: '3g.39gb', start: 0, service: 'first', batch: 4, processes: 1, capacityRps: 20 },
        { profile: '1g.10gb', start: 4, service: null, reserved: true },
      ],
    },
  ],
};

describe('plans and states', () => {
  test.each(['json', 'yaml'] as const)('written as %s are read back the same, profiles in the catalogue’s names', async (format) => {
    const plan = syntheticPlan({ services: 5, gpus: 9 });
    const file = `${folder.path}/plan.${format}`;
    await writeTextFile(file, formatDocument(plan, format));
    expect(await readPlan(file)).toEqual(plan);
    await writeTextFile(file, formatDocument(state, format));
    const read = await readState(file);
    const named = formatDocument(state).replace('3g.39gb', '3g.40gb');
    expect(formatDocument(read.document)).toBe(named);
    expect(problemLines(read.notes)).toBe(
      `plan.${format}:${format === 'json' ? '24:22' : '17:18'} gpus[0].instances[0].profile PROFILE_NAME_DRIFT`,
    );
  });

  test('a plan is not taken for a state', async () => {
    const file = await folder.write('plan.json', formatDocument(syntheticPlan({ services: 1, gpus: 1 })));
    expect(problemLines(await problemsOf(() => readState(file)))).toMatchInlineSnapshot(
      `"plan.json:3:11 kind WRONG_KIND expected apiVersion: inlay.dev/v1alpha1 and kind: State received kind: "Plan""`,
    );
  });

  test('faults of form come with their places, whatever the key', async () => {
    const plan = {
      ...syntheticPlan({ services: 1, gpus: 1 }),
      gap: -1,
      bound: { value: 1, certificate: { slicePrices: { 'a 100': { '1g.10gb': -1 } }, poolPrices: {} } },
    };
    const file = await folder.write('plan.yaml', formatDocument(plan, 'yaml'));
    expect(problemLines(await problemsOf(() => readPlan(file)))).toMatchInlineSnapshot(`
      "plan.yaml:59:18 bound.certificate.slicePrices["a 100"]["1g.10gb"] INVALID_VALUE expected a number of at least 0 received -1
      plan.yaml:61:6 gap INVALID_VALUE expected a number of at least 0 received -1"
    `);
  });

  test('instances that cannot exist together are refused at their place', async () => {
    const [gpu] = state.gpus;
    const gpus = [{ ...gpu, instances: [...(gpu?.instances ?? []), { profile: '2g.20gb', start: 4, service: null }] }];
    const file = await folder.write('state.json', formatDocument({ ...state, gpus }));
    expect(problemLines(await problemsOf(() => readState(file)))).toMatchInlineSnapshot(
      `"state.json:22:20 gpus[0].instances STATE_IMPOSSIBLE expected a layout that A100-80GB can hold received 3g.40gb@0 1g.10gb@4 2g.20gb@4"`,
    );
  });
});

describe('readGpuModels', () => {
  const model = `apiVersion: inlay.dev/v1alpha1
kind: GpuModels
metadata: {name: synthetic}
spec:
  models:
    - name: TEST-20GB
      computeSlices: 2
      memorySlices: 2
      memoryMiB: 20000
      profiles:
        - {name: 1g.10gb, computeSlices: 1, memorySlices: 1, starts: [0, 1], memoryMiB: 9800}
`;

  test('reads a model that a user wrote by hand', async () => {
    const { models } = await readGpuModels(await folder.write('models.yaml', model));
    expect(models.map(({ name, profiles }) => [name, profiles[0]?.maxCount])).toEqual([['TEST-20GB', 2]]);
  });

  test('refuses faults of form and of sense, each at its place', async () => {
    const wrongForm = await folder.write('form.yaml', model.replace('starts: [0, 1]', 'start: [0, 1]'));
    expect(problemLines(await problemsOf(() => readGpuModels(wrongForm)))).toMatchInlineSnapshot(`
      "form.yaml:11:11 spec.models[0].profiles[0].starts MISSING_KEY expected a list received nothing
      form.yaml:11:62 spec.models[0].profiles[0].start UNKNOWN_KEY expected name, computeSlices, memorySlices, starts, maxCount, memoryMiB, sms, variant, engines received start"
    `);
    const wrongSense = await folder.write('sense.yaml', model.replace('starts: [0, 1]', 'starts: [0, 2]'));
    expect(problemLines(await problemsOf(() => readGpuModels(wrongSense)))).toMatchInlineSnapshot(
      `"sense.yaml:11:74 spec.models[0].profiles[0].starts[1] INVALID_VALUE expected at most 1 received 2"`,
    );
  });
});
