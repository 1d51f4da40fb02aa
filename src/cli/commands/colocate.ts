import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples, jsonOption, outOption, parseCount, parseList, quietOption } from '../common-options.js';
import type { CliIo } from '../io.js';

const workloadsOption = () => new Option('--workloads <file>', 'table of workloads, each measured alone (CSV)').makeOptionMandatory();
const modelOption = () => new Option('--model <file>', 'model that `inlay colocate train` wrote').makeOptionMandatory();
const maxGroupOption = () => new Option('--max-group <number>', 'most jobs on one GPU').argParser(parsePositive).default(4);
const objectiveOption = () =>
  new Option('--objective <objective>', 'most throughput (each job as a share of its speed alone), the fairest least share, or fewest GPUs')
    .choices(['throughput', 'fairness', 'fewest-gpus'])
    .default('throughput', 'throughput with --gpus, else fewest-gpus');

/** `inlay colocate …`: which workloads can share a GPU, judged from what each does alone. */
export function addColocateCommand(program: Command, io: CliIo): void {
  const colocate = program.command('colocate').summary('which workloads can share a GPU, and how fast each will be');
  colocate.description(
    'Learns from workloads measured alone and a few dozen measured groups what every member of another group will deliver under MPS, and groups jobs by it.',
  );
  addTrain(colocate, io);
  addPredict(colocate, io);
  addGroup(colocate, io);
  addSuggest(colocate, io);
  addEvaluate(colocate, io);
  addImportNcu(colocate, io);
}

function addTrain(colocate: Command, io: CliIo): void {
  colocate
    .command('train')
    .summary('learn from measured groups')
    .description('Trains the predictor on measured groups of any size, cross-validates it, and writes a model.')
    .addOption(workloadsOption())
    .addOption(new Option('--groups <file...>', 'tables of measured groups: id, w1..wn, t1..tn (CSV)').makeOptionMandatory())
    .addOption(outOption('write the model to a file'))
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText('after', examples('inlay colocate train --workloads workloads.csv --groups pairs.csv triples.csv -o model.json'))
    .action(async (options) => (await import('./colocate-train.js')).runTrain(options, io));
}

function addPredict(colocate: Command, io: CliIo): void {
  colocate
    .command('predict')
    .summary('what the members of a group will deliver')
    .description("Predicts each member's throughput with a 90 % interval, its slowdown, and which resource the group fights for.")
    .addOption(modelOption())
    .addOption(workloadsOption())
    .addOption(new Option('--group <list>', 'members of one group: a,b,c').argParser(parseList).conflicts('groups'))
    .addOption(new Option('--groups <file>', 'table of groups: id, w1..wn (CSV)'))
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText('after', examples('inlay colocate predict --model model.json --workloads workloads.csv --group bert,resnet50'))
    .action(async (options) => (await import('./colocate-predict.js')).runPredict(options, io));
}

function addGroup(colocate: Command, io: CliIo): void {
  colocate
    .command('group')
    .summary('partition jobs onto GPUs, with a proof')
    .description(
      'Partitions jobs onto GPUs: memory fits, limits on slowdown hold, jobs that avoid each other are apart. Proven best, or with its gap.',
    )
    .addOption(modelOption())
    .addOption(workloadsOption())
    .addOption(new Option('--jobs <file>', 'file of kind Jobs (YAML or JSON)').makeOptionMandatory())
    .addOption(new Option('--gpus <number>', 'GPUs at hand (default: no limit)').argParser(parsePositive))
    .addOption(maxGroupOption())
    .addOption(objectiveOption())
    .addOption(
      new Option('--risk <risk>', 'count on the predicted mean, on what is met nine times out of ten, or on measured groups only')
        .choices(['mean', 'pessimistic', 'measured'])
        .default('pessimistic'),
    )
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText('after', examples('inlay colocate group --model model.json --workloads workloads.csv --jobs jobs.yaml --gpus 8'))
    .action(async (options, command: Command) => (await import('./colocate-group.js')).runGroup(withObjective(options, command), io));
}

function addSuggest(colocate: Command, io: CliIo): void {
  colocate
    .command('suggest')
    .summary('which groups to measure next')
    .description(
      'With jobs: the groups that their best grouping would use and nobody measured. Then those that lower the error of predictions most.',
    )
    .addOption(modelOption())
    .addOption(workloadsOption())
    .addOption(new Option('--budget <number>', 'groups to suggest').argParser(parsePositive).makeOptionMandatory())
    .addOption(new Option('--jobs <file>', 'file of kind Jobs (YAML or JSON)'))
    .addOption(new Option('--gpus <number>', 'GPUs at hand (default: no limit)').argParser(parsePositive))
    .addOption(maxGroupOption())
    .addOption(objectiveOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText(
      'after',
      examples('inlay colocate suggest --model model.json --workloads workloads.csv --budget 12 --jobs jobs.yaml --gpus 8'),
    )
    .action(async (options, command: Command) => (await import('./colocate-suggest.js')).runSuggest(withObjective(options, command), io));
}

function addEvaluate(colocate: Command, io: CliIo): void {
  colocate
    .command('evaluate')
    .summary('how well predictors choose groups they have not seen')
    .description(
      'Trains and tests predictors and rules on given splits, by the published protocol of KACE (SoCC 2024) and by one that keeps all test data out.',
    )
    .addOption(workloadsOption())
    .addOption(new Option('--groups <file...>', 'tables of measured groups (CSV)').makeOptionMandatory())
    .addOption(new Option('--splits <file>', 'splits of the groups (JSON)').makeOptionMandatory())
    .addOption(new Option('--models <list>', 'predictors and rules to compare (default: all)').argParser(parseList))
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText(
      'after',
      examples('inlay colocate evaluate --workloads workloads.csv --groups pairs.csv --splits splits.json --models inlay,kace'),
    )
    .action(async (options) => (await import('./colocate-evaluate.js')).runEvaluate(options, io));
}

function addImportNcu(colocate: Command, io: CliIo): void {
  colocate
    .command('import-ncu')
    .summary('a row of the table of workloads from profiler reports')
    .description('Reads Nsight Compute CSV (details or raw page), weights kernel launches by duration, and prints the row of one workload.')
    .argument('<report...>', 'CSV reports of Nsight Compute')
    .addOption(new Option('--name <workload>', 'name of the workload').argParser(parseName).makeOptionMandatory())
    .addOption(new Option('--batch <number>', 'samples in one step').argParser(parsePositive).makeOptionMandatory())
    .addOption(new Option('--task <task>', 'what it does').choices(['inference', 'training']).makeOptionMandatory())
    .addOption(new Option('--model-name <name>', 'model, which workloads of other batch sizes share'))
    .addOption(new Option('--throughput <number>', 'samples per second alone').argParser(parsePositiveNumber))
    .addOption(new Option('--nvtx <range>', 'count only launches inside this NVTX range'))
    .addOption(new Option('--pmon <file>', 'output of `nvidia-smi pmon -s u`: utilisations'))
    .addOption(new Option('--memory <file>', 'output of `nvidia-smi --query-gpu=memory.used --format=csv`'))
    .addOption(new Option('--dcgm <file>', 'metrics of the DCGM exporter: utilisations and memory where the others are not given'))
    .addOption(new Option('--pod <pod>', 'pod whose metrics count (NAME or NAMESPACE/NAME)'))
    .addOption(outOption('write the table to a file'))
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText(
      'after',
      examples('inlay colocate import-ncu report.csv --name bert-b8 --batch 8 --task inference --pmon pmon.txt --memory memory.csv'),
    )
    .action(async (reports: readonly string[], options) => (await import('./colocate-import-ncu.js')).runImportNcu(reports, options, io));
}

/** Without --objective the number of GPUs decides what is asked for. */
function withObjective<T extends { readonly gpus?: number; readonly objective: string }>(options: T, command: Command): T {
  if (command.getOptionValueSource('objective') !== 'default') return options;
  return { ...options, objective: options.gpus === undefined ? 'fewest-gpus' : 'throughput' };
}

/** A name as the tables hold it. */
function parseName(text: string): string {
  const name = text.trim();
  if (name === '') throw new InvalidArgumentError('Expected a name, such as bert-b8.');
  return name;
}

function parsePositive(text: string): number {
  const value = parseCount(text);
  if (value < 1) throw new InvalidArgumentError('Expected a whole number of at least 1, such as 4.');
  return value;
}

function parsePositiveNumber(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1e15)) throw new InvalidArgumentError('Expected a number above 0, such as 84.1.');
  return value;
}
