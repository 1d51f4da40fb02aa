import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordIo, runInProcess } from '../../src/cli/io.fixture.js';
import { createProgram } from '../../src/cli/program.js';
import { strategies } from '../../src/plan/plan.js';

const workload = 'examples/media/workload.yaml';
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlay-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a plan that was written can be verified and exported', async () => {
  const plan = join(folder, 'plan.json');
  expect(await runInProcess(['plan', workload, '-o', plan])).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await runInProcess(['verify', workload, plan])).toMatchObject({ exitCode: 0, stderr: '' });
  const config = join(folder, 'mig-parted.yaml');
  expect(await runInProcess(['export', plan, '--format', 'mig-parted', '-o', config])).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await readFile(config, 'utf8')).toMatch(/^version: v1$/m);
});

test('--strategy offers every strategy of the planner', () => {
  const command = createProgram(recordIo().io).commands.find((candidate) => candidate.name() === 'plan');
  const option = command?.options.find((candidate) => candidate.long === '--strategy');
  expect(option?.argChoices).toEqual(Object.keys(strategies));
});
