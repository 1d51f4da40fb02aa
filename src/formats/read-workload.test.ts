import { mkdir, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { problemLines, problemsOf } from './problem-lines.fixture.js';
import { readWorkload } from './read-workload.js';
import { useTemporaryFolder } from './temporary-folder.fixture.js';

const folder = useTemporaryFolder();

const table = `model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms
small,A100-80GB,1g.10gb,1,1,100,10
small,A100-80GB,7g.80gb,8,2,900,18
large,A100-80GB,7g.80gb,1,1,50,20
`;

const workload = `apiVersion: inlay.dev/v1alpha1
kind: Workload
metadata: {name: synthetic}
spec:
  performance: [table.csv]
  pools:
    - {name: a100, gpu: A100-80GB}
  services:
    - {name: first, model: small, rateRps: 10, latencyMs: 100}
    - {name: second, model: large, rateRps: 20, latencyMs: 200}
`;

/** Writes a workload and its table, each with one text replaced, and answers the path of the workload. */
async function aWorkload(changes: { readonly workload?: readonly [string, string]; readonly table?: readonly [string, string] } = {}) {
  await folder.write('table.csv', change(table, changes.table));
  return folder.write('workload.yaml', change(workload, changes.workload));
}

function change(text: string, replacement: readonly [string, string] | undefined): string {
  if (replacement === undefined) return text;
  if (!text.includes(replacement[0])) throw new Error(`the text does not hold ${replacement[0]}`);
  return text.replaceAll(...replacement);
}

const faultsOf = async (file: string) => problemLines(await problemsOf(() => readWorkload(file)));

describe('readWorkload', () => {
  test('reads a workload with its table, defaults filled in, and says what it does not check', async () => {
    const { workload, document, notes } = await readWorkload(await aWorkload());
    expect(document.metadata.name).toBe('synthetic');
    expect(workload.services[0]).toEqual({
      name: 'first',
      model: 'small',
      rateRps: 10,
      latencyMs: 100,
      minReplicas: 1,
      maxUtilization: 1,
      maxBatch: Number.POSITIVE_INFINITY,
      priority: 0,
      latency: { kind: 'percentile', percentile: 99, burstiness: 1, router: 'round-robin', rule: 'safe' },
    });
    expect(workload.pools[0]?.profiles.map((profile) => profile.name)).toEqual(['1g.10gb', '7g.80gb']);
    expect(workload.rows).toHaveLength(3);
    expect(problemLines(notes)).toBe('- MEMORY_NOT_CHECKED');
  });

  test('reads JSON, CRLF, a byte order mark and names in any script the same way', async () => {
    const { document } = await readWorkload(await aWorkload());
    const windows = (text: string) => `\ufeff${text.replaceAll('\n', '\r\n')}`;
    await folder.write('table.csv', windows(table.replaceAll('small', '小さい')));
    for (const [name, text] of [
      ['windows.yaml', windows(workload.replaceAll('small', '小さい'))],
      ['windows.json', windows(JSON.stringify(document, null, 2).replaceAll('small', '小さい'))],
    ] as const) {
      const read = await readWorkload(await folder.write(name, text));
      expect(read.workload.services[0]?.model).toBe('小さい');
    }
  });

  test('works with rates of 0 and from 1e-9 to 1e9', async () => {
    const file = await aWorkload({ workload: ['rateRps: 10', 'rateRps: 0'] });
    expect(problemLines((await readWorkload(file)).notes)).toContain('RATE_ZERO');
    for (const rate of ['1e-9', '1e9']) {
      const { workload } = await readWorkload(await aWorkload({ workload: ['rateRps: 10', `rateRps: ${rate}`] }));
      expect(workload.services[0]?.rateRps).toBe(Number(rate));
    }
  });

  test('takes absolute paths and tables in other folders', async () => {
    await mkdir(join(folder.path, 'tables'), { recursive: true });
    const elsewhere = await folder.write('tables/other.csv', table);
    for (const path of ['tables/other.csv', elsewhere]) {
      expect((await readWorkload(await aWorkload({ workload: ['table.csv', path] }))).workload.rows).toHaveLength(3);
    }
  });

  test('the schema error of one key does not hide the others: all problems come at once', async () => {
    const file = await aWorkload({ workload: ['rateRps', 'rateRPS'] });
    expect(await faultsOf(file)).toMatchInlineSnapshot(`
      "workload.yaml:9:7 spec.services[0].rateRps MISSING_KEY expected a number received nothing
      workload.yaml:9:35 spec.services[0].rateRPS UNKNOWN_KEY expected name, model, rateRps, latencyMs, minReplicas, maxUtilization, pools, profiles, maxBatch, priority, latency received rateRPS
      workload.yaml:10:7 spec.services[1].rateRps MISSING_KEY expected a number received nothing
      workload.yaml:10:36 spec.services[1].rateRPS UNKNOWN_KEY expected name, model, rateRps, latencyMs, minReplicas, maxUtilization, pools, profiles, maxBatch, priority, latency received rateRPS"
    `);
  });
});

describe('a workload that is refused', () => {
  test.each([
    [
      'a negative rate',
      'rateRps: 10',
      'rateRps: -1',
      'workload.yaml:9:44 spec.services[0].rateRps INVALID_VALUE expected a number of at least 0 received -1',
    ],
    [
      'a rate of 1e12',
      'rateRps: 10',
      'rateRps: 1e12',
      'workload.yaml:9:44 spec.services[0].rateRps INVALID_VALUE expected a number of at most 1e9 received 1e12',
    ],
    [
      'a rate of 1e-12',
      'rateRps: 10',
      'rateRps: 1e-12',
      'workload.yaml:9:44 spec.services[0].rateRps INVALID_VALUE expected 0, or a number from 1e-9 to 1e9 received 1e-12',
    ],
    [
      'a rate that is no number',
      'rateRps: 10',
      'rateRps: .nan',
      'workload.yaml:9:44 spec.services[0].rateRps INVALID_VALUE expected a number received NaN',
    ],
    [
      'a rate in quotes',
      'rateRps: 10',
      'rateRps: "10"',
      'workload.yaml:9:44 spec.services[0].rateRps INVALID_VALUE expected a number received "10"',
    ],
    [
      'a name that is a number',
      'name: first',
      'name: 7',
      'workload.yaml:9:14 spec.services[0].name INVALID_VALUE expected text received 7',
    ],
    [
      'an unknown key',
      'latencyMs: 100',
      'latencyMs: 100, maxbatch: 8',
      'workload.yaml:9:64 spec.services[0].maxbatch UNKNOWN_KEY expected name, model, rateRps, latencyMs, minReplicas, maxUtilization, pools, profiles, maxBatch, priority, latency received maxbatch',
    ],
    [
      'a latency rule of neither kind',
      'performance:',
      'latency: {percentil: 99}\n  performance:',
      [
        'workload.yaml:5:12 spec.latency.percentile MISSING_KEY expected a number received nothing',
        'workload.yaml:5:13 spec.latency.percentil UNKNOWN_KEY expected percentile, burstiness, router, rule, trace, window, quantile, factor received percentil',
      ].join('\n'),
    ],
    [
      'a percentile out of range',
      'performance:',
      'latency: {percentile: 30}\n  performance:',
      'workload.yaml:5:25 spec.latency.percentile INVALID_VALUE expected a number of at least 50 received 30',
    ],
    [
      'a factor out of range',
      'performance:',
      'latency: {factor: 20}\n  performance:',
      'workload.yaml:5:21 spec.latency.factor INVALID_VALUE expected a number of at most 10 received 20',
    ],
    [
      'another kind',
      'kind: Workload',
      'kind: Plan\nextra: 1',
      'workload.yaml:2:7 kind WRONG_KIND expected apiVersion: inlay.dev/v1alpha1 and kind: Workload received kind: "Plan"',
    ],
    [
      'another version',
      'v1alpha1',
      'v2',
      'workload.yaml:1:13 apiVersion WRONG_KIND expected apiVersion: inlay.dev/v1alpha1 and kind: Workload received apiVersion: "inlay.dev/v2"',
    ],
    ['a missing table', 'table.csv', 'tabel.csv', 'workload.yaml:5:17 spec.performance[0] FILE_NOT_FOUND'],
    ['a folder as table', 'table.csv', '.', 'workload.yaml:5:17 spec.performance[0] FILE_IS_DIRECTORY expected a file'],
    [
      'an unknown GPU',
      'gpu: A100-80GB',
      'gpu: A100-80G',
      'workload.yaml:7:25 spec.pools[0].gpu UNKNOWN_GPU expected a name that `inlay gpus` lists received A100-80G',
    ],
    [
      'an ambiguous GPU',
      'gpu: A100-80GB',
      'gpu: A100',
      'workload.yaml:7:25 spec.pools[0].gpu AMBIGUOUS_GPU expected A100-40GB or A100-80GB received A100',
    ],
    [
      'a GPU without rows',
      'gpu: A100-80GB',
      'gpu: A30',
      'workload.yaml:7:25 spec.pools[0].gpu GPU_WITHOUT_ROWS expected rows for A30-24GB 1g.6gb, 1g.6gb+me, 2g.12gb, 2g.12gb+me, 4g.24gb received rows for A100-80GB',
    ],
    [
      'an unknown profile of a pool',
      'gpu: A100-80GB',
      'gpu: A100-80GB, profiles: [1g.10gb, 1g.5gb]',
      'workload.yaml:7:56 spec.pools[0].profiles[1] UNKNOWN_PROFILE expected 1g.10gb, 1g.10gb+me, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb, full received 1g.5gb',
    ],
    [
      'an unknown excluded profile',
      'gpu: A100-80GB',
      'gpu: A100-80GB, exclude: [8g.80gb]',
      'workload.yaml:7:46 spec.pools[0].exclude[0] UNKNOWN_PROFILE expected 1g.10gb, 1g.10gb+me, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb, full received 8g.80gb',
    ],
    [
      'the whole GPU as a MIG profile',
      'gpu: A100-80GB',
      'gpu: A100-80GB, profiles: [full]',
      'workload.yaml:7:47 spec.pools[0].profiles[0] INVALID_VALUE expected a MIG profile received full',
    ],
    [
      'MIG off without rows for it',
      'gpu: A100-80GB',
      'gpu: A100-80GB, mig: false',
      'workload.yaml:7:25 spec.pools[0].gpu GPU_WITHOUT_ROWS expected rows for A100-80GB full received rows for 1g.10gb, 7g.80gb',
    ],
    [
      'a model without rows',
      'model: small',
      'model: smal',
      'workload.yaml:9:28 spec.services[0].model MODEL_WITHOUT_ROWS expected a model with rows for the pools received smal',
    ],
    [
      'an unknown profile of a service',
      'latencyMs: 100',
      'latencyMs: 100, profiles: [1g.5gb]',
      'workload.yaml:9:75 spec.services[0].profiles[0] UNKNOWN_PROFILE expected 1g.10gb, 7g.80gb received 1g.5gb',
    ],
    [
      'a profile that no pool offers',
      'latencyMs: 100',
      'latencyMs: 100, profiles: [3g.40gb]',
      'workload.yaml:9:74 spec.services[0].profiles PROFILE_NOT_OFFERED expected one of 1g.10gb, 7g.80gb received 3g.40gb',
    ],
    [
      'an unknown pool of a service',
      'latencyMs: 100',
      'latencyMs: 100, pools: [nowhere]',
      'workload.yaml:9:72 spec.services[0].pools[0] INVALID_VALUE expected a100 received nowhere',
    ],
    [
      'a name twice',
      'name: second',
      'name: first',
      'workload.yaml:10:14 spec.services[1].name DUPLICATE_NAME expected a name of its own received first',
    ],
    [
      'no profile left',
      'gpu: A100-80GB',
      'gpu: A100-80GB, profiles: [1g.10gb], exclude: [1g.10gb]',
      'workload.yaml:7:66 spec.pools[0].exclude INVALID_VALUE expected at least one of 1g.10gb, 1g.10gb+me, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb left received none',
    ],
    [
      'MIG on a GPU without it',
      'gpu: A100-80GB',
      'gpu: T4, mig: true',
      'workload.yaml:7:34 spec.pools[0].mig INVALID_VALUE expected false, or no such key received true',
    ],
    [
      'control characters in a name',
      'name: first',
      'name: "fi\\trst"',
      'workload.yaml:9:14 spec.services[0].name INVALID_VALUE expected a name without control characters received "fi\\trst"',
    ],
    [
      'a pool twice',
      '- {name: a100, gpu: A100-80GB}',
      '- {name: a100, gpu: A100-80GB}\n    - {name: a100, gpu: A100-80GB}',
      'workload.yaml:8:14 spec.pools[1].name DUPLICATE_NAME expected a name of its own received a100',
    ],
  ])('for %s', async (_name, before, after, faults) => {
    expect(await faultsOf(await aWorkload({ workload: [before, after] }))).toBe(faults);
  });

  test.each([
    [
      'a missing column',
      'throughput_rps',
      'throughput',
      'table.csv:1:1 MISSING_COLUMN expected model,gpu,mig_profile,batch,throughput_rps,latency_ms received model,gpu,mig_profile,batch,processes,throughput,latency_ms',
    ],
    [
      'values that are no numbers',
      ',100,10',
      ',NaN,-10',
      [
        'table.csv:2:29 INVALID_VALUE expected a number from 1e-12 to 1e12 received "NaN"',
        'table.csv:2:33 INVALID_VALUE expected a number from 1e-12 to 1e12 received "-10"',
      ].join('\n'),
    ],
    [
      'conflicting rows',
      'small,A100-80GB,7g.80gb,8,2,900,18',
      'small,A100-80GB,1g.10gb,1,1,101,10',
      'table.csv:3:1 CONFLICTING_ROWS expected throughput_rps 100, latency_ms 10 received throughput_rps 101, latency_ms 10',
    ],
    [
      'an unknown profile',
      '1g.10gb',
      '1g.5gb',
      'table.csv:2:1 UNKNOWN_PROFILE expected 1g.10gb, 1g.10gb+me, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb, full received 1g.5gb',
    ],
    [
      'an ambiguous GPU',
      'small,A100-80GB,1g',
      'small,A100,1g',
      'table.csv:2:1 AMBIGUOUS_GPU expected A100-40GB or A100-80GB received A100',
    ],
    [
      'rows of another GPU only',
      'A100-80GB',
      'H100-80GB',
      'workload.yaml:7:25 spec.pools[0].gpu GPU_WITHOUT_ROWS expected rows for A100-80GB 1g.10gb, 1g.10gb+me, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb received rows for H100-80GB',
    ],
    [
      'an unknown GPU only',
      'A100-80GB',
      'A100-80G',
      'workload.yaml:7:25 spec.pools[0].gpu GPU_WITHOUT_ROWS expected rows for A100-80GB 1g.10gb, 1g.10gb+me, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb received rows for A100-80G (an unknown GPU model)',
    ],
  ])('for a table with %s', async (_name, before, after, faults) => {
    expect(await faultsOf(await aWorkload({ table: [before, after] }))).toBe(faults);
  });

  test('for problems of tables and document together, without what only follows from them', async () => {
    const file = await aWorkload({
      workload: ['name: second', 'name: first'],
      table: ['large,A100-80GB,7g.80gb,1,1,50', 'large,A100-80GB,7g.80gb,1,1,oops'],
    });
    expect(await faultsOf(file)).toMatchInlineSnapshot(`
      "table.csv:4:29 INVALID_VALUE expected a number from 1e-12 to 1e12 received "oops"
      workload.yaml:10:14 spec.services[1].name DUPLICATE_NAME expected a name of its own received first"
    `);
  });

  test('for having no services', async () => {
    const text = `${workload.slice(0, workload.indexOf('services:'))}services: []\n`;
    expect(await faultsOf(await folder.write('idle.yaml', text))).toMatchInlineSnapshot(
      `"idle.yaml:8:13 spec.services INVALID_VALUE expected a list of at least 1 entry received a list of 0 entries"`,
    );
  });

  test('for too many services, at once', async () => {
    const services = Array.from({ length: 100_000 }, (_, index) => ({ name: `s${index}`, model: 'small', rateRps: 1, latencyMs: 100 }));
    const document = JSON.parse(JSON.stringify((await readWorkload(await aWorkload())).document));
    document.spec.services = services;
    const file = await folder.write('large.json', JSON.stringify(document));
    expect(await faultsOf(file)).toMatchInlineSnapshot(
      `"large.json:1:177 spec.services TOO_MANY expected a list of at most 20000 entries received a list of 100000 entries"`,
    );
  });

  test('for a table of 200 MB, by its size', async () => {
    const file = await aWorkload();
    await truncate(join(folder.path, 'table.csv'), 200 * 1024 ** 2);
    expect(await faultsOf(file)).toMatchInlineSnapshot(
      `"workload.yaml:5:17 spec.performance[0] FILE_TOO_LARGE expected at most 64 MiB received 200 MiB"`,
    );
  });

  test('for files that are no documents', async () => {
    expect(await faultsOf(folder.path)).toContain('FILE_IS_DIRECTORY');
    expect(await faultsOf(await folder.write('empty.yaml', ''))).toMatchInlineSnapshot(
      `"empty.yaml:1:1 WRONG_KIND expected apiVersion: inlay.dev/v1alpha1 and kind: Workload received nothing"`,
    );
    expect(await faultsOf(await folder.write('list.yaml', '- 1\n- 2'))).toMatchInlineSnapshot(
      `"list.yaml:1:1 WRONG_KIND expected apiVersion: inlay.dev/v1alpha1 and kind: Workload received a list of 2 entries"`,
    );
    expect(await faultsOf(await folder.write('noise.yaml', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a])))).toMatchInlineSnapshot(
      `"noise.yaml:1:1 SYNTAX expected UTF-8 text received bytes that are not UTF-8"`,
    );
    expect(await faultsOf(await folder.write('noise.json', '\u0001\u0002 %@`'))).toMatchInlineSnapshot(
      `"noise.json:1:1 SYNTAX received "\\u0001\\u0002 %@\`""`,
    );
    expect(
      await faultsOf(await folder.write('cut.json', JSON.stringify({ apiVersion: 'inlay.dev/v1alpha1' }).slice(0, -1))),
    ).toMatchInlineSnapshot(`"cut.json:1:35 SYNTAX received the end of the file"`);
  });
});

const dataFolder = process.env['INLAY_DATA'];

describe.skipIf(dataFolder === undefined)('measured tables (INLAY_DATA names their folder)', () => {
  test.each(['parvagpu/scenario-1.json', 'workloads/w06.json', 'workloads/m04.json'])('%s is read whole', async (name) => {
    const root = dataFolder as string;
    const given = JSON.parse(await readFile(join(root, name), 'utf8'));
    const pools: readonly { gpu: string; price?: number; count?: number }[] = given.pools ?? [{ gpu: given.gpu }];
    const document = {
      apiVersion: 'inlay.dev/v1alpha1',
      kind: 'Workload',
      metadata: { name: given.name },
      spec: {
        performance: [join(root, given.profiles)],
        latency: { factor: given.latency_factor },
        processes: { max: given.max_processes },
        pools: pools.map((pool) => ({ name: pool.gpu.toLowerCase(), ...pool })),
        services: given.services.map((service: Record<string, unknown>) => ({
          name: service['id'],
          model: service['model'],
          rateRps: service['rate_rps'],
          latencyMs: service['slo_ms'],
        })),
      },
    };
    const read = await readWorkload(await folder.write('measured.yaml', stringify(document)));
    const lines = (await readFile(join(root, given.profiles), 'utf8')).trim().split('\n');
    expect(read.workload.rows).toHaveLength(lines.length - 1);
    expect(read.workload.services).toHaveLength(given.services.length);
    expect(read.workload.pools).toHaveLength(pools.length);
  });
});
