import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PlanDocument } from '../../demand/documents/plan.js';
import type { StrategyName } from '../../plan/plan.js';
import { examples, gpuModelsOption, jsonOption, outOption, parseDurationMs, parseList, quietOption } from '../common-options.js';
import type { CliIo } from '../io.js';
import { addStrategyFlags, describeStrategies, type StrategyFlags, strategyNames } from '../strategy-options.js';

/** What `inlay compare` was asked for. */
export interface CompareCommandOptions extends StrategyFlags {
  readonly strategies: readonly StrategyName[];
  readonly objective: PlanDocument['objective'];
  readonly timeLimit?: number;
  readonly format: 'table' | 'markdown' | 'csv' | 'json';
  readonly seconds: boolean;
  readonly out?: string;
  readonly gpuModels?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `inlay compare`: the strategies side by side on the same input, every plan verified. */
export function addCompareCommand(program: Command, io: CliIo): void {
  const command = program
    .command('compare')
    .summary('ways to plan, side by side')
    .description(
      'Plans each workload with each strategy, verifies every plan, and prints GPUs or cost, the ratio to the proven bound (rounded up for GPUs), instances and seconds.',
    )
    .argument('<workload...>', 'files of kind Workload (YAML or JSON)')
    .addOption(new Option('--strategies <list>', 'strategies to compare').argParser(parseStrategies).default(strategyNames, 'all of them'))
    .addOption(
      new Option('--objective <objective>', 'fewest GPUs, lowest cost, or the largest share of every rate')
        .choices(['gpus', 'cost', 'max-min'])
        .default('gpus'),
    )
    .addOption(new Option('--time-limit <duration>', 'for each plan, such as 10s (default: none)').argParser(parseDurationMs))
    .addOption(new Option('--format <format>', 'what to print').choices(['table', 'markdown', 'csv', 'json']).default('table'))
    .addOption(new Option('--no-seconds', 'leave out the seconds: the rest is the same in every run'))
    .addOption(outOption('write the comparison to a file'))
    .addOption(gpuModelsOption())
    .addOption(jsonOption())
    .addOption(quietOption());
  addStrategyFlags(command)
    .addHelpText(
      'after',
      describeStrategies() +
        examples(
          'inlay compare workload.yaml',
          'inlay compare day.json night.json --strategies exact,greedy,whole --format markdown --no-seconds',
        ),
    )
    .action(async (files: readonly string[], options: CompareCommandOptions) =>
      (await import('./run-compare.js')).runCompare(files, options, io),
    );
}

function parseStrategies(text: string): readonly StrategyName[] {
  const names = parseList(text);
  const isKnown = (name: string): name is StrategyName => strategyNames.some((known) => known === name);
  const unknown = names.filter((name) => !isKnown(name));
  if (names.length === 0 || unknown.length > 0) {
    throw new InvalidArgumentError(`Expected a list of ${strategyNames.join(', ')}.`);
  }
  return [...new Set(names.filter(isKnown))];
}
