import { describe, expect, test } from 'vitest';
import { useImports } from './import.fixture.js';

const { table, problems, notes } = useImports();
const asked = { format: 'mlperf', given: { model: 'm', gpu: 'A30', profile: '2g.12gb', batch: 16, processes: 1 } } as const;

// Synthetic numbers throughout.
const server = `Scenario : Server
Completed samples per second    : 6021.37
Result is : VALID
  Min duration satisfied : Yes
99.00 percentile latency (ns)   : 14203551
`;
const summary = (scenario: string, ...lines: readonly string[]) =>
  [
    '================================================',
    'MLPerf Results Summary',
    '================================================',
    'SUT name : rack 7',
    `Scenario : ${scenario}`,
    'Mode     : PerformanceOnly',
    ...lines,
  ].join('\n');

describe('LoadGen summaries', () => {
  test('of the Server scenario, latencies from ns', async () => {
    expect(await table(asked, { 's.txt': server })).toContain('m,A30-24GB,2g.12gb,16,1,6021.37,14.203551,s.txt:1 Server; p99');
    expect(await table(asked, { 's.txt': `\ufeff${server.replaceAll('\n', '\r\n')}target_qps : 6000\r\n` })).toContain(
      's.txt:1 Server, target rate 6000',
    );
  });

  test('of the single-stream and multi-stream scenarios', async () => {
    const single = summary(
      'SingleStream',
      '90th percentile latency (ns) : 900000',
      'Result is : VALID',
      'QPS w/o loadgen overhead : 1250.5',
      '99.00 percentile latency (ns) : 1000000',
    );
    expect(await table(asked, { 's.txt': single })).toContain('1250.5,1,"s.txt:5 SingleStream, concurrency 1; p99"');
    const multi = summary(
      'MultiStream',
      'Result is : VALID',
      'Mean latency (ns) : 4000000',
      '99.00 percentile latency (ns) : 5000000',
      'samples_per_query : 8',
    );
    expect(await table(asked, { 'm.txt': multi })).toContain('2000,5,"m.txt:5 MultiStream, samples per query 8; p99"');
  });

  test('of the Offline scenario are saturation', async () => {
    const offline = summary('Offline', 'Samples per second: 8000', 'Result is : VALID', '99.00 percentile latency (ns) : 60000000000');
    expect(await problems(asked, { 'o.txt': offline })).toMatchInlineSnapshot(`"o.txt:5:1 RUN_REFUSED"`);
    expect(await table({ ...asked, saturation: true }, { 'o.txt': offline })).toContain(
      '8000,2,o.txt:5 Offline; latency = batch × processes ÷ throughput',
    );
  });

  test('in tokens per second become requests for a stated length', async () => {
    const text = summary('Server', 'Completed tokens per second : 2560', 'Result is : VALID', '99.00 percentile latency (ns) : 900000000');
    expect(await problems(asked, { 't.txt': text })).toContain('t.txt:5:1 MISSING_KEY');
    const given = { ...asked.given, promptTokens: 512, responseTokens: 128 };
    expect(await table({ ...asked, given }, { 't.txt': text })).toContain(
      '20,900,"t.txt:5 Server; p99; prompt 512, response 128 tokens; requests from tokens/s"',
    );
    expect(await notes({ ...asked, given }, { 't.txt': text })).toContain('VALUE_DERIVED');
  });
});

describe('LoadGen summaries that are refused', () => {
  test('for several in one file', async () => {
    expect(await problems(asked, { 's.txt': `${server}\n${server}` })).toMatchInlineSnapshot(
      `"s.txt:7:1 CONFLICTING_ROWS expected the summary of one run"`,
    );
  });

  test('for what they are, each with its place', async () => {
    expect(await problems(asked, { 's.txt': server.replace('VALID', 'INVALID') })).toMatchInlineSnapshot(
      `"s.txt:3:13 RUN_REFUSED expected VALID received INVALID"`,
    );
    expect(
      await problems(asked, { 's.txt': summary('Server', 'Result is : VALID').replace('PerformanceOnly', 'AccuracyOnly') }),
    ).toMatchInlineSnapshot(`"s.txt:6:12 RUN_REFUSED expected PerformanceOnly received AccuracyOnly"`);
    expect(await problems(asked, { 's.txt': server.replace('6021.37', 'lots') })).toMatchInlineSnapshot(
      `"s.txt:2:35 INVALID_VALUE expected a number of at least 0 received "lots""`,
    );
    expect(await problems(asked, { 's.txt': server.slice(0, 60) })).toMatchInlineSnapshot(
      `"s.txt:1:1 MISSING_KEY expected Result is : … received nothing"`,
    );
    expect(await problems(asked, { 's.txt': '' })).toContain('s.txt:1:1 MISSING_KEY');
    expect(await problems(asked, { 's.txt': server.replace('Server', 'Interactive') })).toContain('s.txt:1:12 INVALID_VALUE');
    expect(await problems({ ...asked, percentile: 95 }, { 's.txt': server })).toContain('PERCENTILE_NOT_MEASURED');
  });
});
