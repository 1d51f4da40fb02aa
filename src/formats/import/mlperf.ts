import { inlayError } from '../../errors.js';
import type { ImportSink, MeasurementFile } from './import-sink.js';
import { keepLanguageRun, type LanguageRun } from './language-run.js';
import type { LatencyStats } from './latency-stats.js';
import type { Load } from './load-point.js';
import { type LoadgenSummary, readLoadgenSummary } from './loadgen-summary.js';

const nsPerMs = 1e6;

const latencyKey = /^(\d+(?:\.\d+)?)(?:th)? percentile latency \(ns\)$/;

/** Everything that is read below. */
const keys = new Set([
  'Scenario',
  'Mode',
  'Result is',
  'QPS w/o loadgen overhead',
  'QPS w/ loadgen overhead',
  'samples_per_query',
  'target_qps',
  'Completed samples per second',
  'Scheduled samples per second',
  'Samples per second',
  'Completed tokens per second',
  'Tokens per second',
  'Mean latency (ns)',
  'Mean First Token latency (ns)',
  'Mean Time per Output Token (ns)',
]);

/** Reads MLPerf LoadGen summaries; only valid performance runs become rows. Latencies are in ns. Offline runs are saturation. */
export async function readMlperf(files: readonly MeasurementFile[], sink: ImportSink): Promise<void> {
  for (const entry of files) {
    const summary = await readLoadgenSummary(entry.file, (key) => keys.has(key) || latencyKey.test(key));
    const scenario = requireText(summary, 'Scenario');
    refuseInvalid(summary, entry.file);
    const run = scenarios[scenario];
    if (run === undefined) {
      throw inlayError('INVALID_VALUE', {
        message: `The scenario cannot be ${scenario}.`,
        ...summary.place('Scenario'),
        expected: Object.keys(scenarios).join(', '),
        received: scenario,
      });
    }
    const firstToken = meanOf(summary, 'Mean First Token latency (ns)');
    const perToken = meanOf(summary, 'Mean Time per Output Token (ns)');
    keepLanguageRun(
      {
        line: summary.place('Scenario').line ?? 1,
        saturated: false,
        endToEnd: latenciesOf(summary),
        ...(firstToken === undefined ? {} : { firstToken }),
        ...(perToken === undefined ? {} : { perToken }),
        responseTokensPerSecond: summary.number('Completed tokens per second') ?? summary.number('Tokens per second'),
        ...run(summary),
      },
      entry,
      sink,
    );
  }
}

/** What each scenario measures, and under which load. */
const scenarios: Readonly<
  Record<string, (summary: LoadgenSummary) => Pick<LanguageRun, 'load' | 'requestsPerSecond'> & Partial<LanguageRun>>
> = {
  SingleStream: (summary) => ({
    load: { kind: 'SingleStream, concurrency', value: 1 },
    requestsPerSecond: summary.number('QPS w/o loadgen overhead') ?? summary.number('QPS w/ loadgen overhead'),
  }),
  MultiStream: (summary) => {
    const samples = summary.number('samples_per_query') ?? 8;
    const queryMs = summary.number('Mean latency (ns)');
    return {
      load: { kind: 'MultiStream, samples per query', value: samples },
      requestsPerSecond: queryMs === undefined || queryMs === 0 ? undefined : (samples * 1000 * nsPerMs) / queryMs,
    };
  },
  Server: (summary) => ({
    load: loadOf('Server, target rate', summary.number('target_qps')),
    requestsPerSecond: summary.number('Completed samples per second') ?? summary.number('Scheduled samples per second'),
  }),
  Offline: (summary) => ({
    load: loadOf('Offline', undefined),
    saturated: true,
    requestsPerSecond: summary.number('Samples per second'),
  }),
};

function loadOf(kind: string, value: number | undefined): Load {
  return value === undefined ? { kind: kind.replace(/,.*/, ''), value: Number.NaN } : { kind, value };
}

function requireText(summary: LoadgenSummary, key: string): string {
  const text = summary.text(key);
  if (text !== undefined && text !== '') return text;
  throw inlayError('MISSING_KEY', {
    message: `${summary.place(key).file} has no line "${key} : …".`,
    ...summary.place(key),
    expected: `${key} : …`,
    received: 'nothing',
    hint: 'Check that the file is a complete mlperf_log_summary.txt.',
  });
}

function refuseInvalid(summary: LoadgenSummary, file: string): void {
  const mode = summary.text('Mode');
  if (mode !== undefined && !/^Performance/i.test(mode)) {
    throw inlayError('RUN_REFUSED', {
      message: `${file} is no performance run.`,
      ...summary.place('Mode'),
      expected: 'PerformanceOnly',
      received: mode,
    });
  }
  const result = requireText(summary, 'Result is');
  if (result === 'VALID') return;
  throw inlayError('RUN_REFUSED', {
    message: `The run of ${file} is ${result}.`,
    ...summary.place('Result is'),
    expected: 'VALID',
    received: result,
  });
}

function latenciesOf(summary: LoadgenSummary): LatencyStats {
  const percentilesMs = new Map<number, number>();
  for (const key of summary.entries.keys()) {
    const match = latencyKey.exec(key);
    const ns = match === null ? undefined : summary.number(key);
    if (match !== null && ns !== undefined) percentilesMs.set(Number(match[1]), ns / nsPerMs);
  }
  const mean = meanOf(summary, 'Mean latency (ns)');
  return { ...mean, percentilesMs };
}

function meanOf(summary: LoadgenSummary, key: string): LatencyStats | undefined {
  const ns = summary.number(key);
  return ns === undefined ? undefined : { meanMs: ns / nsPerMs, percentilesMs: new Map() };
}
