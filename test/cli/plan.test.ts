import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runInProcess } from '../../src/cli/io.fixture.js';
import { planSchema } from '../../src/demand/documents/plan.js';

const example = 'examples/media/workload.yaml';
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlay-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The example with changes to its text, in a file of its own. */
async function changedExample(name: string, ...changes: readonly (readonly [string, string])[]): Promise<string> {
  const table = resolve('examples/media/a100.csv');
  let text = (await readFile(example, 'utf8')).replace('a100.csv', JSON.stringify(table));
  for (const [from, to] of changes) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  const file = join(folder, `${name}.yaml`);
  await writeFile(file, text);
  return file;
}

describe('inlay plan', () => {
  test('prints a summary for people', async () => {
    const { stdout, stderr, exitCode } = await runInProcess(['plan', example]);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toMatchSnapshot();
  });

  test('prints the plan document under --json, the same as -o writes, and the same each time', async () => {
    const out = join(folder, 'plan.json');
    const { stdout, exitCode } = await runInProcess(['plan', example, '--json', '-o', out]);
    expect(exitCode).toBe(0);
    const plan = planSchema.parse(JSON.parse(stdout));
    expect(JSON.parse(await readFile(out, 'utf8'))).toEqual(plan);
    expect((await runInProcess(['plan', example, '--json'])).stdout).toBe(stdout);
  });

  test('writes YAML on request', async () => {
    const json = await runInProcess(['plan', example, '--json']);
    const yaml = await runInProcess(['plan', example, '--format', 'yaml']);
    expect(parse(yaml.stdout)).toEqual(JSON.parse(json.stdout));
  });

  test('draws the plan', async () => {
    const svg = join(folder, 'plan.svg');
    expect((await runInProcess(['plan', example, '--svg', svg])).exitCode).toBe(0);
    expect(await readFile(svg, 'utf8')).toMatch(/^<svg .*photo-tags.*<\/svg>\n?$/s);
  });

  test('plans the lowest cost, and the largest share of a fixed fleet', async () => {
    const cost = await runInProcess(['plan', example, '--objective', 'cost', '--json']);
    expect(JSON.parse(cost.stdout)).toMatchObject({ objective: 'cost', optimal: true });
    const fleet = await changedExample('fleet', ['gpu: A100-80GB', 'gpu: A100-80GB, count: 2']);
    const share = await runInProcess(['plan', fleet, '--objective', 'max-min', '--json']);
    const { totals, bound } = JSON.parse(share.stdout);
    expect(totals.factor).toBeGreaterThan(0);
    expect(bound.value).toBeGreaterThanOrEqual(totals.factor);
  });

  test('says where a pool needs a count', async () => {
    const { stderr, exitCode } = await runInProcess(['plan', example, '--objective', 'max-min', '--json']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: '' });
    const { stdout } = await runInProcess(['plan', example, '--objective', 'max-min', '--json']);
    expect(JSON.parse(stdout).errors).toMatchObject([
      { code: 'MISSING_KEY', path: 'spec.pools[0].count', file: example, line: expect.any(Number) },
    ]);
  });

  test('serves rates of 1e9 and 1e-9 side by side, equal GPUs named once', async () => {
    const file = await changedExample('huge', ['rateRps: 14,', 'rateRps: 1e9,'], ['rateRps: 900,', 'rateRps: 1e-9,']);
    const out = join(folder, 'huge.json');
    expect((await runInProcess(['plan', file, '-o', out])).exitCode).toBe(0);
    const plan = planSchema.parse(JSON.parse(await readFile(out, 'utf8')));
    expect(plan.totals.gpus).toBeGreaterThan(1e6);
    expect(plan.gpus.length).toBeLessThan(100);
    expect((await runInProcess(['verify', file, out])).exitCode).toBe(0);
    const { stderr, exitCode } = await runInProcess(['export', out, '--format', 'csv']);
    expect({ exitCode, stderr: stderr.split('\n', 1) }).toEqual({ exitCode: 2, stderr: [expect.stringContaining('(TOO_MANY)')] });
  });

  test('explains which rows a service can use', async () => {
    const { stdout, exitCode } = await runInProcess(['plan', example, '--explain', 'captions']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatchSnapshot();
  });

  test('names the near misses of a service that is not there', async () => {
    const { stderr, exitCode } = await runInProcess(['plan', example, '--explain', 'caption']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatchInlineSnapshot(`
      "error: workload media has no service caption (UNKNOWN_SERVICE)
        received caption
        Did you mean captions?
      "
    `);
  });

  test('a pool that is too small is an answer with exit code 3', async () => {
    const file = await changedExample('small', ['gpu: A100-80GB', 'gpu: A100-80GB, count: 2']);
    const text = await runInProcess(['plan', file]);
    expect({ stdout: text.stdout, exitCode: text.exitCode }).toEqual({ stdout: '', exitCode: 3 });
    expect(text.stderr).toMatchInlineSnapshot(`
      "Infeasible: this cannot be done.
      conflict: 3 GPUs are the proven minimum, but pool a100 has 2; they can serve 56 % of every rate (POOL_TOO_SMALL)
        Add GPUs, lower the rates, or plan with --objective max-min.
      "
    `);
    const { conflicts, ...answer } = JSON.parse((await runInProcess(['plan', file, '--json'])).stdout);
    expect(answer.kind).toBe('infeasible');
    expect(conflicts[0]).toMatchObject({ code: 'POOL_TOO_SMALL', pool: 'a100', needed: 3, available: 2 });
  });

  test('a service that cannot run is named with the rule and by how much', async () => {
    const file = await changedExample('strict', ['rateRps: 14, latencyMs: 900', 'rateRps: 14, latencyMs: 20']);
    const { stderr, exitCode } = await runInProcess(['plan', file]);
    expect(exitCode).toBe(3);
    expect(stderr).toMatchInlineSnapshot(`
      "Infeasible: this cannot be done.
      conflict: service captions cannot run: its fastest row (batch 16, 1 process on 7g.80gb of pool a100) answers in 67.11 ms at best, and 20 ms ÷ 1.1 allows 18.18 ms (SERVICE_CANNOT_RUN)
        Raise latencyMs to 73.83 or more.
      "
    `);
  });

  test('all problems of a file come at once, each with its place', async () => {
    const file = await changedExample(
      'broken',
      ['rateRps: 900', 'rateRps: -900'],
      ['latencyMs: 90}', 'latencyMs: 90, prioritty: 1}'],
      ['model: bert-base, ', ''],
    );
    const { stdout, stderr, exitCode } = await runInProcess(['plan', file]);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr.replaceAll(folder, '…')).toMatchInlineSnapshot(`
      "…/broken.yaml:11:52: error: spec.services[0].rateRps cannot be -900. (INVALID_VALUE)
        expected a number of at least 0, received -900
        Use a value as expected.
      …/broken.yaml:12:69: error: There is no key "prioritty" in spec.services[1]. (UNKNOWN_KEY)
        expected name, model, rateRps, latencyMs, minReplicas, maxUtilization, pools, profiles, maxBatch, priority, latency, received prioritty
        Did you mean priority?
      …/broken.yaml:13:7: error: spec.services[2].model is missing. (MISSING_KEY)
        expected text, received nothing
        Add the key.
      "
    `);
    const { errors } = JSON.parse((await runInProcess(['plan', file, '--json'])).stdout);
    expect(errors.map((error: { readonly code: string }) => error.code)).toEqual(['INVALID_VALUE', 'UNKNOWN_KEY', 'MISSING_KEY']);
  });

  test('a result that cannot be written is a coded error', async () => {
    const { stderr, exitCode } = await runInProcess(['plan', example, '-o', join(folder, 'no', 'such', 'plan.json')]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/\(FILE_UNWRITABLE\)/);
  });

  test('Ctrl-C ends with 130', async () => {
    const { exitCode } = await runInProcess(['plan', example], { watchInterrupt: () => AbortSignal.abort('interrupt') });
    expect(exitCode).toBe(130);
  });

  test('a time limit of 0 gives a plan or says that there was none, and never hangs', async () => {
    const { exitCode } = await runInProcess(['plan', example, '--time-limit', '0']);
    expect([0, 3]).toContain(exitCode);
  });
});
