import { type Problem, problem } from '../../errors.js';
import type { ImportSink, MeasurementFile } from './import-sink.js';
import { notMeasured } from './latency-column.js';
import { chooseLatency, type LatencyStats, listLatencies } from './latency-stats.js';
import { describePercentile, type Load, latencyOf, type PointLatency } from './load-point.js';
import { tidy } from './milliseconds.js';

/** One run of a benchmark of language models, in which a request is a prompt and its response. */
export interface LanguageRun {
  readonly line: number;
  readonly model?: string | undefined;
  readonly load: Load;
  /** All requests were sent at once. */
  readonly saturated: boolean;
  /** Requests per second; tokens per second stand in when it is missing. */
  readonly requestsPerSecond?: number | undefined;
  readonly responseTokensPerSecond?: number | undefined;
  readonly endToEnd?: LatencyStats | undefined;
  readonly firstToken?: LatencyStats | undefined;
  /** Time of each further token. */
  readonly perToken?: LatencyStats | undefined;
  /** Mean lengths, tokens. */
  readonly promptTokens?: number | undefined;
  readonly responseTokens?: number | undefined;
}

/**
 * Makes the run a point in requests per second for its prompt and response length, and says in its remarks what was derived:
 * requests from tokens, or the time of a request from those of its first and further tokens.
 */
export function keepLanguageRun(run: LanguageRun, { file, given }: MeasurementFile, sink: ImportSink): void {
  const responseTokens = given.responseTokens ?? run.responseTokens;
  const remarks: string[] = [];
  const place = { file, line: run.line, column: 1 };
  const derive = (remark: string, message: string) => {
    remarks.push(remark);
    sink.note(problem('VALUE_DERIVED', { message, ...place }));
  };

  let throughputRps = run.requestsPerSecond;
  if (throughputRps === undefined && run.responseTokensPerSecond !== undefined && responseTokens !== undefined) {
    throughputRps = tidy(run.responseTokensPerSecond / responseTokens);
    derive('requests from tokens/s', `Requests per second are ${run.responseTokensPerSecond} tokens/s ÷ ${responseTokens} tokens.`);
  }
  if (throughputRps === undefined) {
    sink.refuse(noThroughput(file, run.line));
    return;
  }
  const latency = latencyOfRun(run, responseTokens, sink, derive);
  if (latency === undefined) {
    const alternatives = listLatencies(run.endToEnd);
    sink.refuse(notMeasured(sink.percentile, alternatives, place));
    return;
  }
  sink.keep({
    file,
    line: run.line,
    stated: {
      ...(run.model === undefined ? {} : { model: run.model }),
      ...(isLanguage(run) ? { isLanguage: true } : {}),
      ...(run.promptTokens === undefined ? {} : { promptTokens: run.promptTokens }),
      ...(run.responseTokens === undefined ? {} : { responseTokens: run.responseTokens }),
    },
    load: run.load,
    throughputRps,
    latency,
    remarks,
  });
}

function isLanguage({ firstToken, perToken, responseTokens, responseTokensPerSecond }: LanguageRun): boolean {
  return [firstToken, perToken, responseTokens, responseTokensPerSecond].some((fact) => fact !== undefined);
}

function latencyOfRun(
  { saturated, endToEnd, firstToken, perToken }: LanguageRun,
  responseTokens: number | undefined,
  { percentile }: ImportSink,
  derive: (remark: string, message: string) => void,
): PointLatency | undefined {
  if (saturated) return { kind: 'saturated' };
  const measured = chooseLatency(endToEnd, percentile);
  if (measured !== undefined) return latencyOf(measured);
  const first = chooseLatency(firstToken, percentile);
  const further = chooseLatency(perToken, percentile);
  if (first === undefined || further === undefined || responseTokens === undefined) return undefined;
  const word = describePercentile(percentile);
  const steps = Math.max(0, Math.round(responseTokens) - 1);
  derive(
    `latency = ${word} TTFT + ${steps} × ${word} TPOT`,
    `latency_ms is ${word} TTFT ${first} ms + ${steps} × ${word} TPOT ${further} ms: the file has no end-to-end latency.`,
  );
  return latencyOf(first + steps * further);
}

function noThroughput(file: string, line: number): Problem {
  return problem('MISSING_KEY', {
    message: `${file} says neither requests per second nor tokens per second and the length of a response.`,
    file,
    line,
    column: 1,
    expected: 'a request throughput',
    hint: 'With tokens per second, pass --response-tokens N.',
  });
}
