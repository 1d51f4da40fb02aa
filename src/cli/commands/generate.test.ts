import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../io.fixture.js';

/** Synthetic: made up for this test. */
const table = `model,gpu,mig_profile,batch,throughput_rps,latency_ms,memory_gib
net,A30-24GB,1g.6gb,1,60,17,1
net,A30-24GB,1g.6gb,8,110,73,2
net,A30-24GB,2g.12gb,8,210,38,2
text,A30-24GB,2g.12gb,4,80,50,9
`;

describe('inlay generate workload', () => {
  let folder: string;
  let performance: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'inlay-generate-'));
    performance = join(folder, 'table.csv');
    await writeFile(performance, table);
    await mkdir(join(folder, 'made'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const generate = (...args: readonly string[]) =>
    runInProcess(['generate', 'workload', '--services', '3', '--target-gpus', '5', '--performance', performance, ...args]);

  it('writes a workload that can be planned', async () => {
    const out = join(folder, 'made', 'day.json');
    const { stdout, stderr, exitCode } = await generate('-o', out, '--seed', '4');
    expect({ stdout: stdout.replaceAll(folder, ''), stderr, exitCode }).toMatchInlineSnapshot(`
      {
        "exitCode": 0,
        "stderr": "",
        "stdout": "/made/day.json: 3 services for about 5 GPUs of A30-24GB, lognormal, seed 4
      ",
      }
    `);
    const plan = await runInProcess(['plan', out, '--json', '--quiet']);
    expect(plan.exitCode).toBe(0);
    expect(JSON.parse(plan.stdout).totals.gpus).toBeLessThanOrEqual(6);
  });

  it('prints the same document each time', async () => {
    const { stdout } = await generate('--seed', '4', '--format', 'yaml', '--latency-factor', '0.5', '--max-processes', '2');
    expect(stdout.replaceAll(folder, '')).toMatchInlineSnapshot(`
      "apiVersion: inlay.dev/v1alpha1
      kind: Workload
      metadata:
        name: lognormal-3-seed-4
      spec:
        performance:
          - /table.csv
        latency:
          factor: 0.5
        processes:
          max: 2
        pools:
          - name: a30-24gb
            gpu: A30-24GB
        services:
          - name: s01
            model: net
            rateRps: 464.4
            latencyMs: 37.7
          - name: s02
            model: text
            rateRps: 400
            latencyMs: 165.9
          - name: s03
            model: text
            rateRps: 32.1
            latencyMs: 268
      "
    `);
    expect((await generate('--seed', '4', '--json')).stdout).toBe((await generate('--seed', '4')).stdout);
  });

  it('names a relative table by its path from the document', async () => {
    const out = join(folder, 'made', 'relative.json');
    const near = 'examples/media/a100.csv';
    await runInProcess(['generate', 'workload', '--services', '2', '--target-gpus', '2', '--performance', near, '-o', out]);
    const [path = ''] = JSON.parse(await readFile(out, 'utf8')).spec.performance;
    expect(path).toMatch(/^\.\.\/.*examples\/media\/a100\.csv$/);
    expect((await runInProcess(['plan', out])).exitCode).toBe(0);
  });

  it('writes the night beside the day', async () => {
    const out = join(folder, 'fleet.yaml');
    expect(await generate('-o', out, '--format', 'yaml', '--night', '0.3')).toMatchObject({ exitCode: 0 });
    expect(await readFile(join(folder, 'fleet-night.yaml'), 'utf8')).toContain('name: lognormal-3-seed-1-night');
  });

  it.each([
    { name: '--night without a file', args: ['--night', '0.3'], message: '--night writes a second file' },
    { name: 'no services', args: ['--services', '0'], message: 'a whole number from 1 to 20000' },
    { name: 'a target that is no number', args: ['--target-gpus', 'many'], message: 'a number from 0.01 to 1000000' },
    { name: 'two latency rules', args: ['--latency-factor', '0.4', '--latency-percentile', '99'], message: 'cannot be used with' },
    { name: 'a GPU model without rows', args: ['--gpu', 'A100-80GB'], message: 'A100-80GB' },
    { name: 'a table that does not exist', args: ['--performance', 'nowhere.csv'], message: 'nowhere.csv does not exist' },
  ])('refuses $name', async ({ args, message }) => {
    const { stdout, stderr, exitCode } = await generate(...args);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain(message);
  });

  it('asks which GPU model is meant when the table has several', async () => {
    const several = join(folder, 'several.csv');
    await writeFile(several, `${table}net,A100-80GB,1g.10gb,1,60,17,1\n`);
    const { stderr, exitCode } = await generate('--performance', several);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('A30-24GB, A100-80GB');
    expect(stderr).toContain('--gpu MODEL');
  });
});
