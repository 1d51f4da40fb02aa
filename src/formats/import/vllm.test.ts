import { describe, expect, test } from 'vitest';
import { useImports } from './import.fixture.js';

const { table, notes, problems } = useImports();
const asked = { format: 'vllm', given: { gpu: 'H100-80GB', profile: '3g.40gb', batch: 32, processes: 1 } } as const;

// Synthetic numbers throughout.
const result = {
  backend: 'vllm',
  model_id: 'qwen-7b',
  num_prompts: 500,
  request_rate: 8.0,
  duration: 63.9,
  completed: 500,
  failed: 0,
  request_throughput: 7.82,
  output_throughput: 1001.3,
  total_token_throughput: 5010.9,
  mean_ttft_ms: 88.4,
  median_ttft_ms: 71.0,
  p99_ttft_ms: 310.2,
  mean_tpot_ms: 14.1,
  p99_tpot_ms: 21.9,
  mean_itl_ms: 14.0,
  p99_itl_ms: 48.7,
};
const json = (changes: object = {}) => JSON.stringify({ ...result, ...changes });

describe('vLLM results', () => {
  test('without end-to-end latency derive it from first and further tokens, and say so', async () => {
    expect(await table(asked, { 'v.json': json() })).toContain(
      'qwen-7b,H100-80GB,3g.40gb,32,1,7.82,3091.5,"v.json:1 request rate 8; p99; prompt 513, response 128 tokens; latency = p99 TTFT + 127 × p99 TPOT"',
    );
    expect(await notes(asked, { 'v.json': json() })).toContain(
      '1:1 VALUE_DERIVED latency_ms is p99 TTFT 310.2 ms + 127 × p99 TPOT 21.9 ms',
    );
  });

  test('take summaries in ms and single requests in seconds', async () => {
    expect(
      await table(asked, { 'v.json': json({ p99_e2el_ms: 2511.4, total_input_tokens: 256_000, total_output_tokens: 64_000 }) }),
    ).toContain('7.82,2511.4,"v.json:1 request rate 8; p99; prompt 512, response 128 tokens"');
    const detailed = json({ latencies: [1.2, 0.4, null, 2.5, 0] });
    expect(await table(asked, { 'v.json': detailed })).toContain('7.82,2500,');
    expect(await table({ ...asked, percentile: 50 }, { 'v.json': detailed })).toContain('7.82,1200,');
    expect(await table({ ...asked, percentile: 50 }, { 'v.json': json({ median_e2el_ms: 1900 }) })).toContain('7.82,1900,');
    expect(await table({ ...asked, percentile: 'mean' }, { 'v.json': json({ mean_e2el_ms: 1950 }) })).toContain('7.82,1950,');
  });

  test('at several request rates are one sweep', async () => {
    const texts = {
      'a.json': json({ request_rate: 4, request_throughput: 3.9, output_throughput: 499, total_token_throughput: 2499 }),
      'b.json': json(),
    };
    expect(await table(asked, texts)).toContain('b.json:1 request rate 8');
    expect(await notes(asked, texts)).toContain('left out request rate 4 (lower throughput)');
  });

  test('at an infinite rate are saturation: refused, unless only their throughput is asked for', async () => {
    for (const rate of ['inf', null, undefined]) {
      expect(await problems(asked, { 'v.json': json({ request_rate: rate }) }), String(rate)).toMatchInlineSnapshot(
        `"v.json:1:1 RUN_REFUSED"`,
      );
    }
    expect(await table({ ...asked, saturation: true }, { 'v.json': json({ request_rate: 'inf' }) })).toContain(
      '7.82,4092.07161,"v.json:1 request rate inf; latency = batch × processes ÷ throughput; prompt 513, response 128 tokens"',
    );
    expect(await table(asked, { 'v.json': json({ request_rate: 'inf', max_concurrency: 16, p99_e2el_ms: 2500 }) })).toContain(
      '7.82,2500,"v.json:1 concurrency 16; p99',
    );
  });

  test('say how many requests failed', async () => {
    expect(await notes(asked, { 'v.json': json({ failed: 3 }) })).toContain('PART_LEFT_OUT 3 of 503 requests failed');
  });
});

describe('vLLM results that are refused', () => {
  test('for their form, with line and column', async () => {
    expect(await problems(asked, { 'v.json': json().slice(0, 120) })).toMatchInlineSnapshot(`"v.json:1:118 SYNTAX received "\\"re""`);
    expect(await problems(asked, { 'v.json': '{\n "completed": "many",\n "request_throughput": -1\n}' })).toMatchInlineSnapshot(`
      "v.json:2:15 completed INVALID_VALUE expected a number received "many"
      v.json:3:24 request_throughput INVALID_VALUE expected a number of at least 0 received -1"
    `);
    expect(await problems(asked, { 'v.json': json({ completed: 0 }) })).toContain('RUN_REFUSED');
    expect(await problems(asked, { 'v.json': '[]' })).toBe('v.json:1:1 INVALID_VALUE expected a mapping received a list of 0 entries');
    const latencies = '{\n "completed": 3,\n "latencies": [1.5, 2,\n "soon"]\n}';
    expect(await problems(asked, { 'v.json': latencies })).toBe(
      'v.json:4:2 latencies INVALID_VALUE expected seconds, or null for a request that failed received "soon"',
    );
    expect(await problems(asked, { 'v.json': '' })).toContain('v.json:1:1 SYNTAX');
  });

  test('when there is no latency to take', async () => {
    expect(await problems(asked, { 'v.json': json({ p99_tpot_ms: undefined }) })).toMatchInlineSnapshot(
      `"v.json:1:1 PERCENTILE_NOT_MEASURED expected the p99 latency received no latency"`,
    );
  });
});
