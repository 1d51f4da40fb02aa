import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { syntheticPlan } from '../../formats/synthetic-plan.fixture.js';
import { runInProcess } from '../io.fixture.js';

describe('inlay export', () => {
  let folder: string;
  let plan: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'inlay-export-'));
    plan = join(folder, 'plan.json');
    await writeFile(plan, JSON.stringify(syntheticPlan({ gpus: 3, services: 2 })));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('writes a mig-parted file for nodes of 8 GPUs to stdout', async () => {
    const { stdout, stderr, exitCode } = await runInProcess(['export', plan, '--format', 'mig-parted']);
    expect(stdout).toContain('# Nodes of 8 GPUs: 1.');
    expect(stdout).toContain('version: v1\n');
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  });

  it('writes to the file that is named', async () => {
    const out = join(folder, 'plan.yaml');
    const { stdout, exitCode } = await runInProcess(['export', plan, '--format', 'mig-parted', '--gpus-per-node', '2', '-o', out]);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 0 });
    expect(await readFile(out, 'utf8')).toContain('# Nodes of 2 GPUs: 2.');
  });

  it('writes CSV', async () => {
    const { stdout, exitCode } = await runInProcess(['export', plan, '--format', 'csv']);
    expect(stdout.split('\r\n')[0]).toMatch(/^gpu,pool,type,profile,start,service,/);
    expect(exitCode).toBe(0);
  });

  it('wraps what it wrote in one JSON document', async () => {
    const out = join(folder, 'plan.csv');
    const written = await runInProcess(['export', plan, '--format', 'csv', '--json', '-o', out]);
    expect(JSON.parse(written.stdout)).toEqual({ format: 'csv', out });
    const printed = await runInProcess(['export', plan, '--format', 'csv', '--json']);
    expect(JSON.parse(printed.stdout)).toEqual({ format: 'csv', text: await readFile(out, 'utf8') });
  });

  it.each([
    [['--format', 'mig-parted', '--gpus-per-node', '0']],
    [['--format', 'csv', '--gpus-per-node', '8']],
    [['--format', 'helm']],
    [[]],
  ])('calls wrong arguments what they are: %j', async (args) => {
    const { stdout, stderr, exitCode } = await runInProcess(['export', plan, ...args]);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain('USAGE');
  });

  it('names a plan that does not exist', async () => {
    const { stderr, exitCode } = await runInProcess(['export', join(folder, 'none.json'), '--format', 'csv']);
    expect(stderr).toContain('FILE_NOT_FOUND');
    expect(exitCode).toBe(2);
  });
});
