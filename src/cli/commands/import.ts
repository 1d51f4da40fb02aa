import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ImportFormat } from '../../formats/import/import-measurements.js';
import { examples, gpuModelsOption, jsonOption, outOption, quietOption } from '../common-options.js';
import type { CliIo } from '../io.js';

/** What `inlay import FORMAT` was asked for. */
export interface ImportOptions {
  readonly model?: string;
  readonly gpu?: string;
  readonly profile?: string;
  readonly batch?: number;
  readonly processes?: number;
  readonly memoryGib?: number;
  readonly promptTokens?: number;
  readonly responseTokens?: number;
  readonly meta?: string;
  readonly percentile: number | 'mean';
  readonly saturation?: boolean;
  readonly batches?: 'client' | 'server';
  readonly dcgm?: string;
  readonly pod?: string;
  readonly out?: string;
  readonly gpuModels?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

interface FormatHelp {
  readonly summary: string;
  readonly description: string;
  readonly example: string;
}

const formats: Readonly<Record<ImportFormat, FormatHelp>> = {
  'perf-analyzer': {
    summary: 'CSV of Triton perf_analyzer (-f)',
    description: 'Imports CSV files of Triton perf_analyzer (-f): concurrency and request-rate sweeps, with or without --verbose-csv.',
    example: 'inlay import perf-analyzer sweep.csv --model resnet50 --gpu A100-80GB --profile 1g.10gb --batch 8 --processes 1 -o table.csv',
  },
  'model-analyzer': {
    summary: 'CSV of Triton Model Analyzer',
    description:
      'Imports the inference table of Triton Model Analyzer, and memory from its GPU table when both are named; with MIG the GPU table is empty and memory unknown.',
    example: 'inlay import model-analyzer metrics-model-inference.csv metrics-model-gpu.csv --gpu T4 -o table.csv',
  },
  aiperf: {
    summary: 'JSON or CSV of AIPerf or GenAI-Perf',
    description: 'Imports summaries of AIPerf and GenAI-Perf. A row is in requests/s for the prompt and response length of its run.',
    example:
      'inlay import aiperf profile_export_aiperf.json --model chat --gpu H100-80GB --profile full --batch 32 --processes 1 -o table.csv',
  },
  vllm: {
    summary: 'JSON of the vLLM serving benchmark',
    description:
      'Imports results of `vllm bench serve --save-result`. A row is in requests/s for the prompt and response length of its run; several files are one load sweep.',
    example: 'inlay import vllm rate-4.json rate-8.json --gpu H100-80GB --profile 3g.40gb --batch 32 --processes 1 -o table.csv',
  },
  mlperf: {
    summary: 'summary of MLPerf LoadGen',
    description:
      'Imports mlperf_log_summary.txt of valid performance runs: SingleStream, MultiStream, Server, and Offline with --saturation.',
    example: 'inlay import mlperf mlperf_log_summary.txt --model resnet50 --gpu A30 --profile full --batch 16 --processes 2 -o table.csv',
  },
};

/** `inlay import`: performance tables from the measurements of other tools. */
export function addImportCommand(program: Command, io: CliIo): void {
  const parent = program.command('import').summary('make performance tables from the measurements of other tools');
  parent.description(
    'Makes performance tables from the measurements of other tools. What a file does not say comes from options or a side file.',
  );
  for (const [format, help] of Object.entries(formats) as [ImportFormat, FormatHelp][]) {
    const command = withOptions(parent.command(format).summary(help.summary).description(help.description), format);
    command
      .addHelpText('after', examples(help.example))
      .action(async (files: readonly string[], options: ImportOptions) =>
        (await import('./run-import.js')).runImport(format, files, options, io),
      );
  }
  addDcgm(parent, io);
}

function withOptions(command: Command, format: ImportFormat): Command {
  command
    .argument('<file...>', 'measurement files; what they are is seen from their content')
    .addOption(new Option('--model <name>', 'name of the model, as services name it'))
    .addOption(new Option('--gpu <model>', 'GPU model it was measured on'))
    .addOption(new Option('--profile <profile>', 'MIG profile, or full'))
    .addOption(new Option('--batch <number>', 'requests in one batch').argParser(wholeNumber(1, 65_536)))
    .addOption(new Option('--processes <number>', 'processes (or model instances) together on the slice').argParser(wholeNumber(1, 48)))
    .addOption(new Option('--memory-gib <number>', 'memory of one process, GiB').argParser(memory));
  if (format === 'model-analyzer') {
    command.addOption(
      new Option('--batches <whose>', 'rows are about the batches that the client sends, or those that the server forms of them')
        .choices(['client', 'server'])
        .default('server'),
    );
  }
  if (format === 'aiperf' || format === 'vllm' || format === 'mlperf') {
    command
      .addOption(new Option('--prompt-tokens <number>', 'length of a prompt, tokens').argParser(wholeNumber(1, 10_000_000)))
      .addOption(new Option('--response-tokens <number>', 'length of a response, tokens').argParser(wholeNumber(1, 10_000_000)))
      .addOption(
        new Option('--saturation', 'take runs at saturation too: their throughput, with latency_ms = batch × processes ÷ throughput'),
      );
  }
  return command
    .addOption(
      new Option('--percentile <percent>', 'latency that becomes latency_ms: a percentile, or mean').argParser(percentile).default(99),
    )
    .addOption(new Option('--meta <file>', 'side file for all files (default: NAME.meta.json or meta.json beside each)'))
    .addOption(new Option('--dcgm <file>', 'metrics of the DCGM exporter: GPU model, profile and memory of the instance measured'))
    .addOption(new Option('--pod <name>', 'pod whose instance in --dcgm was measured'))
    .addOption(outOption('write the table to a file'))
    .addOption(gpuModelsOption())
    .addOption(jsonOption())
    .addOption(quietOption());
}

function addDcgm(parent: Command, io: CliIo): void {
  parent
    .command('dcgm')
    .summary('list what the DCGM exporter saw of each GPU instance')
    .description(
      'Lists GPU instances with their pods, memory and activity, as CSV: series of the DCGM exporter joined by GPU instance id. The other imports take the same file with --dcgm.',
    )
    .argument('<file...>', 'what the exporter answered at /metrics')
    .addOption(outOption('write the list to a file'))
    .addOption(gpuModelsOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText('after', examples('inlay import dcgm metrics.txt'))
    .action(async (files: readonly string[], options: Omit<ImportOptions, 'percentile'>) =>
      (await import('./run-import.js')).runImportDcgm(files, options, io),
    );
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

function memory(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value > 0 && value <= 10_000) return value;
  throw new InvalidArgumentError('Expected GiB above 0, such as 1.5.');
}

function percentile(text: string): number | 'mean' {
  const value = text === 'mean' ? text : Number(text.replace(/^p/, ''));
  if (value === 'mean' || (value > 0 && value <= 100)) return value;
  throw new InvalidArgumentError('Expected a percentile such as 99 or 99.9, or mean.');
}
