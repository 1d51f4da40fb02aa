import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { runInProcess } from '../io.fixture.js';

describe('inlay gpus', () => {
  it('lists every model with its base profiles and explains the marks', async () => {
    const { stdout, exitCode } = await runInProcess(['gpus']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatchSnapshot();
  });

  it('shows everything about one model', async () => {
    expect((await runInProcess(['gpus', 'A30'])).stdout).toMatchSnapshot();
    expect((await runInProcess(['gpus', 'NVIDIA-H100-PCIe'])).stdout).toMatchSnapshot();
  });

  it('prints the catalogue as data', async () => {
    expect(JSON.parse((await runInProcess(['gpus', '--json'])).stdout)).toEqual({
      models: JSON.parse(JSON.stringify(builtInCatalogue.models)),
    });
    expect(JSON.parse((await runInProcess(['gpus', 'T4', '--json'])).stdout)).toMatchObject({ name: 'T4-16GB', profiles: [] });
  });

  it('refuses unknown and ambiguous names', async () => {
    expect(await runInProcess(['gpus', 'H100'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('AMBIGUOUS_GPU') });
    const { stdout, exitCode } = await runInProcess(['gpus', 'A1OO-80GB', '--json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout).errors).toMatchObject([
      { code: 'UNKNOWN_GPU', received: 'A1OO-80GB', hint: expect.stringContaining('A100-80GB') },
    ]);
  });
});

describe('inlay gpus --gpu-models', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'inlay-gpus-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('adds a user’s models', async () => {
    const file = join(folder, 'gpus.yaml');
    await writeFile(
      file,
      [
        'apiVersion: inlay.dev/v1alpha1',
        'kind: GpuModels',
        'metadata: {name: ours}',
        'spec:',
        '  models:',
        '    - name: Example-48GB',
        '      computeSlices: 2',
        '      memorySlices: 2',
        '      memoryMiB: 48000',
        '      source: our own listing',
        '      profiles:',
        '        - {name: 1g.24gb, computeSlices: 1, memorySlices: 1, starts: [0, 1], memoryMiB: 23000}',
        '        - {name: 2g.48gb, computeSlices: 2, memorySlices: 2, starts: [0], memoryMiB: 47000}',
      ].join('\n'),
    );
    const { stdout, exitCode } = await runInProcess(['gpus', 'Example', '--gpu-models', file]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatchSnapshot();
    expect((await runInProcess(['layout', 'check', 'Example-48GB', '1g.24gbx2', '--gpu-models', file])).exitCode).toBe(0);
  });

  it('says where a model is wrong', async () => {
    const file = join(folder, 'wrong.yaml');
    await writeFile(
      file,
      [
        'apiVersion: inlay.dev/v1alpha1',
        'kind: GpuModels',
        'metadata: {name: ours}',
        'spec:',
        '  models:',
        '    - name: Example-48GB',
        '      computeSlices: 2',
        '      memorySlices: 2',
        '      memoryMiB: 48000',
        '      profiles:',
        '        - {name: 2g.48gb, computeSlices: 2, memorySlices: 2, starts: [1], memoryMiB: 47000}',
      ].join('\n'),
    );
    const { stderr, exitCode } = await runInProcess(['gpus', '--gpu-models', file]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('wrong.yaml:11:');
    expect(stderr).toContain('2g.48gb of Example-48GB: the instance would reach beyond the last memory slice. (INVALID_VALUE)');
  });
});
