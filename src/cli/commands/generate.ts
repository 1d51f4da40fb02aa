import { type Command, InvalidArgumentError, Option } from 'commander';
import { documentFormatOption, examples, gpuModelsOption, jsonOption, outOption, parseCount, quietOption } from '../common-options.js';
import type { CliIo } from '../io.js';

/** What `inlay generate workload` was asked for. */
export interface GenerateWorkloadOptions {
  readonly services: number;
  readonly targetGpus: number;
  readonly distribution: 'normal' | 'lognormal' | 'heavy';
  readonly seed: number;
  readonly performance: string;
  readonly gpu?: string;
  readonly latencyPercentile?: number;
  readonly latencyFactor?: number;
  readonly maxProcesses?: number;
  readonly name?: string;
  readonly night?: number;
  readonly out?: string;
  readonly format?: 'json' | 'yaml';
  readonly gpuModels?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `inlay generate workload`: made-up services for measured rows; the same seed gives the same file. */
export function addGenerateCommand(program: Command, io: CliIo): void {
  const generate = program.command('generate').summary('make up inputs from measured rows');
  generate.description('Makes up inputs from measured rows, the same ones for the same seed.');
  generate
    .command('workload')
    .summary('services for a fleet of about so many GPUs')
    .description(
      'Makes up a workload: models drawn from a performance table, latency limits that at least one of their rows meets, and rates for a fleet of about so many GPUs. The same seed gives the same file.',
    )
    .addOption(new Option('--services <number>', 'services').argParser(numberIn(1, 20_000, true)).makeOptionMandatory())
    .addOption(
      new Option('--target-gpus <number>', 'GPUs that the fleet is to need, roughly').argParser(numberIn(0.01, 1e6)).makeOptionMandatory(),
    )
    .addOption(
      new Option('--distribution <distribution>', 'how the load is spread over services')
        .choices(['normal', 'lognormal', 'heavy'])
        .default('lognormal'),
    )
    .addOption(new Option('--seed <number>', 'start of the random numbers').argParser(parseCount).default(1))
    .addOption(new Option('--performance <file>', 'performance table (CSV)').makeOptionMandatory())
    .addOption(new Option('--gpu <model>', 'GPU model of the pool (default: the only one of the table)'))
    .addOption(
      new Option('--latency-percentile <percent>', 'latency rule: the percentile that must meet the limit (default: 99)')
        .argParser(numberIn(50, 99.9999))
        .conflicts('latencyFactor'),
    )
    .addOption(
      new Option('--latency-factor <factor>', "latency rule: the papers' factor, whatever the load").argParser(numberIn(0.001, 10)),
    )
    .addOption(new Option('--max-processes <number>', 'most processes per instance').argParser(numberIn(1, 48, true)))
    .addOption(new Option('--name <name>', 'name of the workload (default: from services, distribution and seed)'))
    .addOption(
      new Option('--night <factor>', 'also write the same services at about this share of their rates, to FILE-night').argParser(
        numberIn(0, 1),
      ),
    )
    .addOption(outOption('write the workload to a file; its path to the table is relative to it'))
    .addOption(documentFormatOption())
    .addOption(gpuModelsOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText(
      'after',
      examples(
        'inlay generate workload --services 24 --target-gpus 50 --seed 7 --performance a100.csv -o day.json',
        'inlay generate workload --services 24 --target-gpus 50 --performance a100.csv --night 0.3 -o day.json',
      ),
    )
    .action(async (options: GenerateWorkloadOptions) => (await import('./generate-workload.js')).runGenerateWorkload(options, io));
}

/** A parser of numbers from `least` to `most`, both allowed. */
function numberIn(least: number, most: number, whole = false): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= least && value <= most && (!whole || Number.isInteger(value))) return value;
    throw new InvalidArgumentError(`Expected a ${whole ? 'whole number' : 'number'} from ${least} to ${most}.`);
  };
}
