import { describe, expect, test } from 'vitest';
import { useImports } from './import.fixture.js';

const { table, notes, problems } = useImports();
const asked = { format: 'model-analyzer', given: { gpu: 'A100-80GB', profile: '2g.20gb' } } as const;

// Synthetic numbers throughout.
const inferenceHeader =
  'Model,Batch,Concurrency,Model Config Path,Instance Group,Max Batch Size,Satisfies Constraints,Throughput (infer/sec),p99 Latency (ms)';
const gpuHeader =
  'Model,GPU UUID,Batch,Concurrency,Model Config Path,Instance Group,Satisfies Constraints,Max GPU Memory Usage (MB),Average GPU Utilization (%),Average GPU Power Usage (W)';
const inference = (...rows: readonly string[]) => [inferenceHeader, ...rows].join('\n');
const gpu = (...rows: readonly string[]) => [gpuHeader, ...rows].join('\n');
const row = 'resnet50,1,16,resnet50_config_3,2:GPU,8,Yes,1184.2,19.6';
const gpuRow = 'resnet50,GPU-a,1,16,resnet50_config_3,2:GPU,Yes,4294.967296,71,180';

describe('Model Analyzer tables', () => {
  test('are joined with memory, whatever the order, and divided among processes', async () => {
    const expected =
      'resnet50,A100-80GB,2g.20gb,8,2,1184.2,19.6,2,"i.csv:2 resnet50_config_3, client batch 1, concurrency 16; p99; batch formed by the server"';
    expect(await table(asked, { 'i.csv': inference(row), 'g.csv': gpu(gpuRow) })).toContain(expected);
    expect(await table(asked, { 'g.csv': gpu(gpuRow), 'i.csv': inference(row) })).toContain(expected);
  });

  test('with an empty GPU table, as with MIG, have unknown memory and never 0', async () => {
    for (const empty of [gpu(), '', gpu(gpuRow.replace('4294.967296', '0')), gpu(gpuRow.replace('4294.967296', ''))]) {
      const texts = { 'i.csv': inference(row), 'g.csv': empty };
      expect(await table(asked, texts)).not.toContain('memory_gib');
      expect(await notes(asked, texts)).toMatch(
        /1:1 MEMORY_UNKNOWN g.csv holds no memory measurement, as on GPUs with MIG: memory is unknown, not 0/,
      );
    }
  });

  test('have the largest batch that the server can form, or on request that of the client', async () => {
    const few = inference('m,1,4,c,2:GPU,8,Yes,200,19.6');
    expect(await table(asked, { 'i.csv': few })).toContain('m,A100-80GB,2g.20gb,2,2,200');
    expect(await notes(asked, { 'i.csv': few })).toMatch(/2:15 VALUE_DERIVED batch is the largest/);
    expect(await table({ ...asked, batchesOf: 'client' }, { 'i.csv': few })).toContain('m,A100-80GB,2g.20gb,1,2,200');
    expect(await table(asked, { 'i.csv': inference('m,8,4,c,2:GPU,0,Yes,200,19.6') })).toContain('m,A100-80GB,2g.20gb,8,2,200');
  });

  test('keep the best configuration of each setting, and every model', async () => {
    const text = inference('a,4,8,a_0,1:GPU,4,Yes,100,30', 'a,4,8,a_1,1/GPU,4,No,120,31', 'b,4,8,b_0,1:GPU,4,Yes,50,40');
    expect((await table(asked, { 'i.csv': text })).split('\n').slice(1, 3)).toMatchInlineSnapshot(`
      [
        "a,A100-80GB,2g.20gb,4,1,120,31,"i.csv:3 a_1, client batch 4, concurrency 8; p99"",
        "b,A100-80GB,2g.20gb,4,1,50,40,"i.csv:4 b_0, client batch 4, concurrency 8; p99"",
      ]
    `);
  });

  test('take the unit of a latency from its header and ask for processes when there are several groups', async () => {
    const text = 'Model,Batch,Request Rate,Throughput (infer/sec),Avg Latency (us)\nm,4,100,99,8000\n';
    const given = { ...asked.given, processes: 1 };
    expect(await table({ ...asked, given, percentile: 'mean' }, { 'i.csv': text })).toContain('m,A100-80GB,2g.20gb,4,1,99,8,');
    expect(await problems(asked, { 'i.csv': inference('m,1,4,c,"1:GPU,2:GPU",1,Yes,200,19.6') })).toMatchInlineSnapshot(
      `"i.csv:2:1 MISSING_SETTING expected --processes N received nothing"`,
    );
  });
});

describe('Model Analyzer tables that are refused', () => {
  test('for what was measured', async () => {
    expect(await problems(asked, { 'i.csv': inference('m,1,4,c,1:CPU,1,Yes,200,19.6') })).toMatchInlineSnapshot(
      `"i.csv:2:9 RUN_REFUSED expected GPU received 1:CPU"`,
    );
    const two = gpu(gpuRow, gpuRow.replace('GPU-a', 'GPU-b'));
    expect(await problems(asked, { 'i.csv': inference(row), 'g.csv': two })).toMatchInlineSnapshot(
      `"g.csv:3:10 RUN_REFUSED expected GPU-a received GPU-b"`,
    );
  });

  test('for their form', async () => {
    expect(await problems(asked, { 'g.csv': gpu(gpuRow) })).toMatchInlineSnapshot(
      `"g.csv:1:1 NO_ROWS expected metrics-model-inference.csv"`,
    );
    expect(await problems(asked, { 'i.csv': inference(row.slice(0, 30)) })).toMatchInlineSnapshot(
      `"i.csv:2:31 SYNTAX expected 9 fields, as its header has received 4"`,
    );
    expect(await problems({ ...asked, percentile: 90 }, { 'i.csv': inference(row) })).toContain('PERCENTILE_NOT_MEASURED');
    expect(await problems(asked, { 'i.csv': 'Model,Throughput (infer/sec),p99 Latency (ms)\nm,1,2' })).toContain('MISSING_COLUMN');
    expect(await problems(asked, { 'i.csv': 'a,b\n1,2\n' })).toContain('i.csv:1:1 SYNTAX');
  });

  test('for what was given otherwise', async () => {
    expect(
      await problems({ ...asked, given: { ...asked.given, batch: 4, processes: 1 } }, { 'i.csv': inference(row) }),
    ).toMatchInlineSnapshot(`
      "i.csv:2:1 CONTRADICTING_SETTING expected 8 received 4
      i.csv:2:1 CONTRADICTING_SETTING expected 2 received 1"
    `);
    const two = inference(row, row.replaceAll('resnet50', 'bert'));
    expect(await problems({ ...asked, given: { ...asked.given, model: 'x' } }, { 'i.csv': two })).toContain(
      'expected resnet50 and bert received x',
    );
  });
});
