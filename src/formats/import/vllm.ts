import * as z from 'zod';
import { inlayError, problem } from '../../errors.js';
import type { ImportSink, MeasurementFile } from './import-sink.js';
import { keepLanguageRun } from './language-run.js';
import { createLatencyList, type LatencyList } from './latency-list.js';
import { chooseLatency, type LatencyStats, summarizeLatencies } from './latency-stats.js';
import type { Load, Percentile } from './load-point.js';
import { readMeasurementJson } from './read-measurement-json.js';

const count = z.number().min(0);
const optional = z.number().min(0).nullish();

/** The result of `vllm bench serve --save-result`: summaries in ms, single requests in seconds. */
const resultSchema = z.looseObject({
  model_id: z.string().nullish(),
  request_rate: z.union([z.number().positive(), z.enum(['inf', 'Infinity'])]).nullish(),
  max_concurrency: z.number().positive().nullish(),
  duration: z.number().positive().nullish(),
  completed: count,
  failed: count.nullish(),
  total_input_tokens: optional,
  total_output_tokens: optional,
  request_throughput: optional,
  output_throughput: optional,
  total_token_throughput: optional,
  latencies: z.array(z.unknown()).nullish(),
});

type Result = z.infer<typeof resultSchema>;

/**
 * Reads results of vLLM's serving benchmark. A request rate of `inf` without `max_concurrency` is saturation: its latencies
 * say how many requests there were.
 */
export async function readVllm(files: readonly MeasurementFile[], sink: ImportSink): Promise<void> {
  for (const entry of files) await readResult(entry, sink);
}

async function readResult(entry: MeasurementFile, sink: ImportSink): Promise<void> {
  const { file } = entry;
  const latencies = createLatencyList(file, 'latencies');
  const { value: result, source } = await readMeasurementJson(file, resultSchema, latencies);
  const { completed, failed, duration } = result;
  if (completed === 0) {
    throw inlayError('RUN_REFUSED', {
      message: `No request of ${file} was completed.`,
      file,
      ...source.locate(['completed']),
      received: 'completed: 0',
    });
  }
  if (failed !== undefined && failed !== null && failed > 0) {
    const message = `${failed} of ${completed + failed} requests failed; the row is about the others.`;
    sink.note(problem('PART_LEFT_OUT', { message, file, ...source.locate(['failed']) }));
  }
  const rate = result.request_rate ?? 'inf';
  keepLanguageRun(
    {
      line: 1,
      model: result.model_id ?? undefined,
      load: loadOf(result),
      saturated: typeof rate === 'string' && typeof result.max_concurrency !== 'number',
      requestsPerSecond: result.request_throughput ?? (typeof duration === 'number' ? completed / duration : undefined),
      responseTokensPerSecond: result.output_throughput ?? undefined,
      endToEnd: endToEndOf(result, latencies, sink.percentile),
      firstToken: statsOf(result, 'ttft'),
      perToken: statsOf(result, 'tpot'),
      promptTokens: perRequest(result.total_input_tokens, completed) ?? perRequest(promptThroughput(result), result.request_throughput),
      responseTokens: perRequest(result.total_output_tokens, completed) ?? perRequest(result.output_throughput, result.request_throughput),
    },
    entry,
    sink,
  );
}

function loadOf({ request_rate: rate, max_concurrency: concurrency }: Result): Load {
  const limit = typeof concurrency === 'number' ? concurrency : undefined;
  if (typeof rate === 'number')
    return { kind: limit === undefined ? 'request rate' : `max concurrency ${limit}, request rate`, value: rate };
  return limit === undefined ? { kind: 'request rate inf', value: Number.NaN } : { kind: 'concurrency', value: limit };
}

function statsOf(result: Result, metric: 'e2el' | 'ttft' | 'tpot'): LatencyStats | undefined {
  const percentilesMs = new Map<number, number>();
  for (const [key, value] of Object.entries(result)) {
    const match = new RegExp(`^p(\\d+(?:\\.\\d+)?)_${metric}_ms$`).exec(key);
    if (match !== null && typeof value === 'number') percentilesMs.set(Number(match[1]), value);
  }
  const [mean, median] = [result[`mean_${metric}_ms`], result[`median_${metric}_ms`]];
  if (typeof median === 'number') percentilesMs.set(50, median);
  if (typeof mean !== 'number') return percentilesMs.size === 0 ? undefined : { percentilesMs };
  return { meanMs: mean, percentilesMs };
}

/** Of the summary, or of the single requests where it does not hold the chosen one. */
function endToEndOf(result: Result, latencies: LatencyList, percentile: Percentile): LatencyStats | undefined {
  const summary = statsOf(result, 'e2el');
  if (chooseLatency(summary, percentile) !== undefined) return summary;
  return summarizeLatencies(latencies.milliseconds(), percentile) ?? summary;
}

function promptThroughput({ total_token_throughput: all, output_throughput: output }: Result): number | undefined {
  return typeof all === 'number' && typeof output === 'number' ? all - output : undefined;
}

function perRequest(tokens: number | null | undefined, requests: number | null | undefined): number | undefined {
  return typeof tokens === 'number' && tokens > 0 && typeof requests === 'number' && requests > 0 ? tokens / requests : undefined;
}
