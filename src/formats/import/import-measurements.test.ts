import { describe, expect, test } from 'vitest';
import { parsePerformanceCsv } from '../performance-csv.js';
import { useImports, wholeSetting } from './import.fixture.js';
import { writeImportedRows } from './imported-row.js';

const { table, notes, problems, importTexts, write } = useImports();
const asked = { format: 'perf-analyzer' } as const;

// Synthetic numbers throughout.
const sweep = (throughput: number, p99Us: number, load = 4) =>
  `Concurrency,Inferences/Second,p99 latency\n${load},${throughput},${p99Us}\n`;

describe('what the file does not say', () => {
  test('is asked for by name, all at once', async () => {
    expect(await problems({ ...asked, given: {} }, { 's.csv': sweep(512, 8731) })).toMatchInlineSnapshot(`
      "s.csv:2:1 MISSING_SETTING expected --model NAME received nothing
      s.csv:2:1 MISSING_SETTING expected --batch N received nothing
      s.csv:2:1 MISSING_SETTING expected --processes N received nothing
      s.csv:2:1 MISSING_SETTING expected --gpu MODEL received nothing
      s.csv:2:1 MISSING_SETTING expected --profile PROFILE received nothing"
    `);
    expect(await table({ ...asked, given: { ...wholeSetting, gpu: 'T4', profile: undefined } }, { 's.csv': sweep(512, 8731) })).toContain(
      'm,T4-16GB,full,8,1',
    );
  });

  test('comes from a side file, which an option overrides', async () => {
    const meta = JSON.stringify({
      model: 'bert',
      gpu: 'H200',
      mig_profile: '3g.71gb',
      batch: 4,
      processes: 2,
      memory_gib: 1.5,
      driver: '570',
    });
    expect(await table({ ...asked, given: { batch: 8 } }, { 's.csv': sweep(512, 8731), 's.meta.json': meta })).toContain(
      'bert,H200-141GB,3g.71gb,8,2,512,8.731,1.5',
    );
    const [sideFile] = await write({ 'other.meta.json': meta });
    expect(await table({ ...asked, given: {}, sideFile }, { 's.csv': sweep(512, 8731) })).toContain('bert,H200-141GB');
  });

  test('is refused with its place when the side file is wrong, or unknown to the catalogue', async () => {
    const meta = '{"gpu": "A100-80GB",\n "profil": "1g.10gb", "batch": 0}';
    expect(await problems({ ...asked, given: {} }, { 's.csv': sweep(512, 8731), 's.meta.json': meta })).toMatchInlineSnapshot(`
      "s.meta.json:2:32 batch INVALID_VALUE expected a number of at least 1 received 0
      s.meta.json:2:2 profil UNKNOWN_KEY expected model, gpu, mig_profile, batch, processes, memory_gib, prompt_tokens, response_tokens, driver, cuda, precision received profil"
    `);
    expect(await problems({ ...asked, given: { ...wholeSetting, gpu: 'A1000' } }, { 's.csv': sweep(1, 1) })).toContain(
      's.csv:2:1 UNKNOWN_GPU',
    );
    expect(await problems({ ...asked, given: { ...wholeSetting, gpu: 'RTX' } }, { 's.csv': sweep(1, 1) })).not.toBe('');
    expect(await problems({ ...asked, given: { ...wholeSetting, profile: '9g.9gb' } }, { 's.csv': sweep(1, 1) })).toContain(
      'UNKNOWN_PROFILE',
    );
  });

  test('may be a profile name of another driver', async () => {
    const request = { ...asked, given: { ...wholeSetting, profile: '3g.39gb' } };
    expect(await table(request, { 's.csv': sweep(512, 8731) })).toContain('A100-80GB,3g.40gb');
    expect(await notes(request, { 's.csv': sweep(512, 8731) })).toContain('PROFILE_NAME_DRIFT');
  });
});

describe('the table', () => {
  test('is read back by the reader of performance tables without a word', async () => {
    const { rows } = await importTexts(asked, { 's, "1".csv': sweep(512, 8731) });
    const table = parsePerformanceCsv(writeImportedRows(rows), 't.csv');
    expect(table).toMatchObject({ problems: [], notes: [] });
    expect(table.rows).toMatchObject([
      { model: 'm', gpu: 'A100-80GB', profile: '1g.10gb', batch: 8, throughputRps: 512, latencyMs: 8.731 },
    ]);
  });

  test('has all files of several settings, in the order of the files', async () => {
    const settings = (profile: string) => JSON.stringify({ ...wholeSetting, profile: undefined, mig_profile: profile });
    const text = await table(
      { ...asked, given: {} },
      { 'b.csv': sweep(300, 8000), 'b.meta.json': settings('2g.20gb'), 'a.csv': sweep(200, 8100), 'a.meta.json': settings('1g.10gb') },
    );
    expect(text.split('\n').slice(1, 3)).toEqual([
      'm,A100-80GB,2g.20gb,8,1,300,8,b.csv:2 concurrency 4; p99',
      'm,A100-80GB,1g.10gb,8,1,200,8.1,a.csv:2 concurrency 4; p99',
    ]);
  });
});

describe('files of another format', () => {
  test.each([
    ['vllm', 'Concurrency,Inferences/Second,p99 latency\n', 'perf-analyzer'],
    ['perf-analyzer', 'Model,Batch,Concurrency,Throughput (infer/sec),p99 Latency (ms)\n', 'model-analyzer'],
    ['vllm', '{"request_latency": {"unit": "ms"}}', 'aiperf'],
    ['perf-analyzer', 'Metric,avg,p99\n', 'aiperf'],
    ['aiperf', '{\n "model_id": "m", "request_throughput": 7.8}', 'vllm'],
    ['vllm', 'Scenario : Server\n', 'mlperf'],
    ['mlperf', '# HELP DCGM_FI_DEV_FB_USED used\n', 'dcgm'],
    ['perf-analyzer', '{"experiments": []}', 'a profile export of perf_analyzer'],
    ['aiperf', '{"metadata": {"request_start_ns": 1}}\n', 'a list of the single requests of AIPerf'],
    ['perf-analyzer', 'model,gpu,mig_profile,batch,throughput_rps,latency_ms\n', 'a performance table'],
  ] as const)('as %s are told apart by their content: %j', async (format, text, received) => {
    expect(await problems({ format }, { 'x.txt': text })).toBe(`x.txt:1:1 WRONG_FORMAT expected ${format} received ${received}`);
  });

  test('and files that are not there are told all at once', async () => {
    const files = ['none-1.csv', 'none-2.csv'];
    expect(await problems({ ...asked, files }, {})).toBe('none-1.csv FILE_NOT_FOUND\nnone-2.csv FILE_NOT_FOUND');
  });
});

describe('what looks wrong is told and left as it is', () => {
  test('throughput above what the latency allows, by more than 5 %', async () => {
    expect(await notes(asked, { 's.csv': sweep(1000, 8300, 8) })).not.toContain('THROUGHPUT_ABOVE_LATENCY');
    expect(await notes(asked, { 's.csv': sweep(1000, 8500, 8) })).toContain(
      '2:1 THROUGHPUT_ABOVE_LATENCY 1 row has a throughput above processes × batch ÷ latency, because requests overlap or wait: m on A100-80GB 1g.10gb, batch 8, processes 1 has 1000 rps and 941.2 rps.',
    );
  });

  test('throughput that falls with more slices, latency that rises with fewer processes', async () => {
    const meta = (profile: string, processes: number) =>
      JSON.stringify({ ...wholeSetting, profile: undefined, mig_profile: profile, processes });
    const request = { ...asked, given: {} };
    expect(
      await notes(request, {
        'a.csv': sweep(300, 8000),
        'a.meta.json': meta('1g.10gb', 1),
        'b.csv': sweep(200, 8000),
        'b.meta.json': meta('2g.20gb', 1),
      }),
    ).toContain('SCALING_SUSPECT m on A100-80GB 2g.20gb, batch 8, processes 1: 200 rps is less than the 300 rps on 1g.10gb.');
    expect(
      await notes(request, {
        'a.csv': sweep(300, 9000),
        'a.meta.json': meta('1g.10gb', 1),
        'b.csv': sweep(400, 8000),
        'b.meta.json': meta('1g.10gb', 2),
      }),
    ).toContain('SCALING_SUSPECT m on A100-80GB 1g.10gb, batch 8, processes 1: latency 9 ms is above the 8 ms with 2 processes.');
  });

  test('a latency of another unit, which is not changed', async () => {
    expect(await table(asked, { 's.csv': sweep(500, 8) })).toContain('500,0.008');
    expect(await notes(asked, { 's.csv': sweep(500, 8) })).toContain('UNIT_SUSPECT');
    expect(await notes(asked, { 's.csv': sweep(500, 8_000_000_000) })).toContain('UNIT_SUSPECT');
    expect(await notes(asked, { 's.csv': sweep(500, 8000) })).not.toContain('UNIT_SUSPECT');
  });
});
