/** What a measurement file looks like. */
export interface RecognizedFormat {
  /** The format that imports it; absent for files that no command imports. */
  readonly format?: string;
  /** In words, with an article. */
  readonly words: string;
  /** What to import instead. */
  readonly hint?: string;
}

const signs: readonly (RecognizedFormat & { readonly sign: RegExp })[] = [
  { format: 'perf-analyzer', words: 'a perf_analyzer table', sign: /^"?(?:Concurrency|Request Rate)"?\s*,[^\n]*Inferences\/Second/ },
  { format: 'model-analyzer', words: 'a Model Analyzer table', sign: /^[^\n]*(?:Throughput \(infer\/sec\)|GPU UUID)/ },
  { format: 'aiperf', words: 'an AIPerf or GenAI-Perf summary', sign: /^"?Metric"?\s*,/ },
  {
    format: 'aiperf',
    words: 'an AIPerf or GenAI-Perf summary',
    sign: /^\{(?=[\s\S]*"(?:request_throughput|request_latency|time_to_first_token)"\s*:\s*\{)/,
  },
  {
    format: 'vllm',
    words: 'a vLLM benchmark result',
    sign: /^\{(?=[\s\S]*"(?:request_throughput|output_throughput|mean_ttft_ms)"\s*:\s*[\d.n])/,
  },
  { format: 'mlperf', words: 'an MLPerf LoadGen summary', sign: /^MLPerf Results Summary|^Scenario *: /m },
  { format: 'dcgm', words: 'metrics of the DCGM exporter', sign: /^(?:# (?:HELP|TYPE) )?DCGM_FI_/m },
  {
    words: 'a profile export of perf_analyzer',
    sign: /^\{(?=[\s\S]*"experiments"\s*:)/,
    hint: 'Import the CSV that perf_analyzer writes with -f.',
  },
  {
    words: 'a list of the single requests of AIPerf',
    sign: /^\{(?=[^\n]*"request_(?:start|end|ack)_ns")/,
    hint: 'Import the summary, profile_export_aiperf.json.',
  },
  { words: 'a performance table', sign: /^[^\n]*\bthroughput_rps\b/, hint: 'It needs no import: name it in a workload.' },
];

/** Tells by its first kilobytes what a measurement file is, never by its name; undefined when it looks like nothing known. */
export function recognizeFormat(head: string): RecognizedFormat | undefined {
  const text = head.replace(/^\ufeff/, '').trimStart();
  return signs.find(({ sign }) => sign.test(text));
}
