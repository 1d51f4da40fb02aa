import { inlayError, problem } from '../../errors.js';
import { readAiperfCsv } from './aiperf-csv.js';
import { readAiperfJson } from './aiperf-json.js';
import type { AiperfMetric, AiperfRun } from './aiperf-run.js';
import type { ImportSink, MeasurementFile } from './import-sink.js';
import { keepLanguageRun } from './language-run.js';
import type { LatencyStats } from './latency-stats.js';
import { millisecondsPer } from './milliseconds.js';
import { readHead } from './read-head.js';

/** Reads the summaries of AIPerf and GenAI-Perf, JSON or CSV: every metric brings its unit. */
export async function readAiperf(files: readonly MeasurementFile[], sink: ImportSink): Promise<void> {
  for (const entry of files) {
    const isJson = /^\s*\{/.test(await readHead(entry.file));
    keepRun(isJson ? await readAiperfJson(entry.file) : await readAiperfCsv(entry.file, sink), entry, sink);
  }
}

function keepRun(run: AiperfRun, entry: MeasurementFile, sink: ImportSink): void {
  const { file } = entry;
  if (run.cancelled) {
    throw inlayError('RUN_REFUSED', {
      message: `The run of ${file} was cancelled.`,
      file,
      line: 1,
      column: 1,
      received: 'was_cancelled: true',
    });
  }
  const failed = run.metrics.get('error_request_count')?.mean ?? 0;
  if (failed > 0) {
    sink.note(problem('PART_LEFT_OUT', { message: `${failed} requests failed; the row is about the others.`, file, line: 1, column: 1 }));
  }
  const throughput = run.metrics.get('request_throughput');
  const latency = (name: string) => toStats(name, run.metrics.get(name), file);
  const endToEnd = latency('request_latency');
  keepLanguageRun(
    {
      line: throughput?.line ?? run.metrics.get('request_latency')?.line ?? 1,
      model: run.model,
      load: run.load ?? { kind: 'load not stated', value: Number.NaN, isUnknown: true },
      saturated: run.load !== undefined && run.load.value === Number.POSITIVE_INFINITY,
      requestsPerSecond: perSecond('request_throughput', throughput, file),
      responseTokensPerSecond: perSecond('output_token_throughput', run.metrics.get('output_token_throughput'), file),
      endToEnd,
      firstToken: latency('time_to_first_token'),
      perToken: latency('inter_token_latency'),
      promptTokens: run.metrics.get('input_sequence_length')?.mean,
      responseTokens: run.metrics.get('output_sequence_length')?.mean ?? responseTokensOf(run),
    },
    entry,
    sink,
  );
}

function responseTokensOf({ metrics }: AiperfRun): number | undefined {
  const [tokens, requests] = [metrics.get('output_token_throughput')?.mean, metrics.get('request_throughput')?.mean];
  return tokens !== undefined && requests !== undefined && requests > 0 ? tokens / requests : undefined;
}

function toStats(name: string, metric: AiperfMetric | undefined, file: string): LatencyStats | undefined {
  if (metric === undefined) return undefined;
  const msPer = metric.unit === undefined ? undefined : millisecondsPer(metric.unit);
  if (msPer === undefined) throw wrongUnit(name, metric, 'ns, us, ms or s', file);
  const percentilesMs = new Map([...metric.percentiles].map(([percent, value]) => [percent, value * msPer]));
  return { ...(metric.mean === undefined ? {} : { meanMs: metric.mean * msPer }), percentilesMs };
}

function perSecond(name: string, metric: AiperfMetric | undefined, file: string): number | undefined {
  if (metric === undefined) return undefined;
  if (!/(?:\/|\bper )s(?:ec|econd)?$/i.test(metric.unit ?? '')) throw wrongUnit(name, metric, 'a unit per second', file);
  return metric.mean;
}

function wrongUnit(name: string, { unit, line, column }: AiperfMetric, expected: string, file: string) {
  return inlayError('INVALID_VALUE', {
    message: unit === undefined ? `${name} has no unit.` : `The unit of ${name} cannot be ${JSON.stringify(unit)}.`,
    file,
    line,
    column,
    expected,
    received: unit ?? 'nothing',
    hint: 'Write the unit into the file; units are never guessed from the size of a number.',
  });
}
