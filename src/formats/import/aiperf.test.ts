import { describe, expect, test } from 'vitest';
import { useImports } from './import.fixture.js';

const { table, notes, problems } = useImports();
const given = { model: 'chat', gpu: 'H100-80GB', profile: 'full', batch: 32, processes: 1, promptTokens: 500 };
const asked = { format: 'aiperf', given } as const;

// Synthetic numbers throughout.
const summary = {
  request_throughput: { unit: 'requests/sec', avg: 11.8 },
  request_latency: { unit: 'ms', avg: 842.1, min: 611.0, max: 1490.7, p50: 820.4, p90: 1011.5, p99: 1402.3, std: 131.9 },
  time_to_first_token: { unit: 'ms', avg: 96.2, p99: 171.4 },
  output_token_throughput: { unit: 'tokens/sec', avg: 1512.6 },
};
const json = (changes: object = {}) => JSON.stringify({ ...summary, ...changes });
const csv = `Metric,avg,min,max,p99,p95,p90,p75,p50,p25
Time To First Token (ms),96.20,80.10,180.00,171.40,160.00,150.00,120.00,95.00,90.00
Request Latency (ms),842.10,611.00,"1,490.70","1,402.30",1100.00,1011.50,900.00,820.40,700.00
Output Sequence Length (tokens),128.00,100.00,150.00,149.00,140.00,138.00,130.00,128.00,120.00
Input Sequence Length (tokens),500.00,500.00,500.00,500.00,500.00,500.00,500.00,500.00,500.00

Metric,Value
Output Token Throughput (per sec),"1,512.60"
Request Throughput (per sec),11.80
`;

describe('AIPerf and GenAI-Perf summaries', () => {
  test('become requests per second for a prompt and response length, and say so', async () => {
    const row = 'chat,H100-80GB,full,32,1,11.8,1402.3,';
    expect(await table(asked, { 'a.json': json() })).toContain(`${row}"a.json:1 load not stated; p99; prompt 500, response 128 tokens"`);
    expect(await table(asked, { 'a.csv': csv })).toContain(`${row}"a.csv:9 load not stated; p99; prompt 500, response 128 tokens"`);
    expect(await notes(asked, { 'a.csv': csv })).toMatch(/3:\d+ NUMBER_READ_AS Request Latency \(ms\)/);
  });

  test('convert by the unit that is written, ns included', async () => {
    const ns = csv.replace('Request Latency (ms),842.10,611.00,"1,490.70","1,402.30"', 'Request Latency (ns),842100000,1,1,1402300000');
    expect(await table(asked, { 'a.csv': ns })).toContain('11.8,1402.3,');
    expect(await table(asked, { 'a.json': json({ request_latency: { unit: 'sec', avg: 0.8, p99: 1.4 } }) })).toContain('11.8,1400,');
  });

  test('know model and load where the tool wrote them, so that several are a sweep', async () => {
    const run = (concurrency: number, rps: number) =>
      json({
        request_throughput: { unit: 'requests/sec', avg: rps },
        output_sequence_length: { unit: 'tokens', avg: 128 },
        input_config: { endpoint: { model_names: ['qwen-7b'] }, loadgen: { concurrency } },
      });
    const request = { ...asked, given: { ...given, model: undefined } };
    const texts = { 'a.json': run(4, 5.1), 'b.json': run(8, 9.7) };
    expect(await table(request, texts)).toContain('qwen-7b,H100-80GB,full,32,1,9.7,1402.3,"b.json:1 concurrency 8; p99');
    expect(await notes(request, texts)).toContain('left out concurrency 4 (lower throughput)');
    const older = json({ input_config: { perf_analyzer: { stimulus: { concurrency: 2 } } } });
    expect(await table(asked, { 'a.json': older })).toContain('concurrency 2');
  });

  test('that do not say their load are a sweep all the same, each file a point of it', async () => {
    const [slow, same] = [csv.replace('(per sec),11.80', '(per sec),6.10').replace('"1,402.30"', '700.00'), csv];
    const texts = { 'c1.csv': slow, 'c8.csv': csv, 'again.csv': same };
    expect(await table(asked, texts)).toContain('11.8,1402.3,"c8.csv:9 load not stated; p99');
    expect(await notes(asked, texts)).toContain(
      '9:1 POINTS_LEFT_OUT chat on H100-80GB full, batch 32, processes 1: kept load not stated; left out load not stated in c1.csv (lower throughput), load not stated in again.csv (same throughput, latency not lower).',
    );
  });

  test('derive the time of a request from its tokens when it is not there, and requests from tokens', async () => {
    const text = json({ request_latency: undefined, request_throughput: undefined, inter_token_latency: { unit: 'ms', avg: 11, p99: 15 } });
    const request = { ...asked, given: { ...given, responseTokens: 101 } };
    expect(await table(request, { 'a.json': text })).toContain(
      '14.9762376,1671.4,"a.json:1 load not stated; p99; prompt 500, response 101 tokens; requests from tokens/s; latency = p99 TTFT + 100 × p99 TPOT"',
    );
    expect((await notes(request, { 'a.json': text })).match(/VALUE_DERIVED/g)).toHaveLength(2);
  });
});

describe('AIPerf summaries that are refused', () => {
  test('for units, which are never guessed', async () => {
    expect(await problems(asked, { 'a.json': json({ request_latency: { avg: 842, p99: 1402 } }) })).toMatchInlineSnapshot(
      `"a.json:1:76 INVALID_VALUE expected ns, us, ms or s received nothing"`,
    );
    expect(await problems(asked, { 'a.json': json({ request_latency: { unit: 'ticks', avg: 842, p99: 1402 } }) })).toContain(
      'received ticks',
    );
    expect(await problems(asked, { 'a.json': json({ request_throughput: { unit: 'requests/min', avg: 842 } }) })).toContain(
      'expected a unit per second',
    );
  });

  test('for runs that were cancelled, lengths that nobody stated or that differ, and percentiles that were not measured', async () => {
    expect(await problems(asked, { 'a.json': json({ was_cancelled: true }) })).toContain('RUN_REFUSED');
    expect(await problems({ ...asked, given: { ...given, promptTokens: undefined } }, { 'a.json': json() })).toMatchInlineSnapshot(
      `"a.json:1:1 MISSING_SETTING expected --prompt-tokens N received nothing"`,
    );
    expect(await problems({ ...asked, given: { ...given, responseTokens: 256 } }, { 'a.json': json() })).toContain('CONTRADICTING_SETTING');
    expect(await problems({ ...asked, percentile: 99.9 }, { 'a.json': json() })).toMatchInlineSnapshot(
      `"a.json:1:1 PERCENTILE_NOT_MEASURED expected the p99.9 latency received p50, p90, p99, mean"`,
    );
  });

  test('for several runs in one file, with both places', async () => {
    expect(await problems(asked, { 'a.csv': `${csv}\n${csv}` })).toMatchInlineSnapshot(
      `"a.csv:12:1 CONFLICTING_ROWS expected one run a file"`,
    );
  });

  test('for two prompt lengths in one setting', async () => {
    const run = (tokens: number) =>
      json({ input_sequence_length: { unit: 'tokens', avg: tokens }, input_config: { loadgen: { concurrency: tokens } } });
    const request = { ...asked, given: { ...given, promptTokens: undefined } };
    expect(await problems(request, { 'a.json': run(500), 'b.json': run(2000) })).toContain('b.json:1:1 CONFLICTING_ROWS');
    expect(await table(request, { 'a.json': run(500), 'b.json': run(520) })).toContain('11.8');
  });

  test('for their form, with line and column', async () => {
    expect(await problems(asked, { 'a.json': '' })).toMatchInlineSnapshot(
      `"a.json:1:1 NO_ROWS expected Metric,avg,…, then one line a metric"`,
    );
    expect(await problems(asked, { 'a.json': '{"request_throughput": {"unit": "requests/sec",\n "avg": 11.8' })).toMatchInlineSnapshot(
      `"a.json:2:13 SYNTAX received the end of the file"`,
    );
    expect(await problems(asked, { 'a.json': '{"request_latency": {"unit": "ms",\n "p99": "fast"}}' })).toMatchInlineSnapshot(
      `"a.json:2:9 request_latency.p99 INVALID_VALUE expected a number received "fast""`,
    );
    expect(await problems(asked, { 'a.csv': 'Metric,avg,p99\nRequest Latency (ms),842\n' })).toMatchInlineSnapshot(
      `
      "a.csv:2:25 SYNTAX expected 3 fields, as its header has received 2
      a.csv:1:1 NO_ROWS expected Metric,avg,…, then one line a metric"
    `,
    );
    expect(await problems(asked, { 'a.csv': 'Metric,avg,p99\n' })).toContain('NO_ROWS');
  });

  test('when numbers are NaN, which Python writes and JSON does not know', async () => {
    const text = json().replace('"p99":1402.3', '"p99": NaN');
    expect(await problems(asked, { 'a.json': text })).toContain('PERCENTILE_NOT_MEASURED');
    expect(await table({ ...asked, percentile: 90 }, { 'a.json': text })).toContain('11.8,1011.5');
  });
});
