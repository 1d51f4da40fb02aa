import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Backend, FloorKind } from '../../demand/documents/transition.js';
import {
  documentFormatOption,
  examples,
  gpuModelsOption,
  jsonOption,
  outOption,
  parseCount,
  parseDurationMs,
  quietOption,
} from '../common-options.js';
import type { CliIo } from '../io.js';

/** What `inlay transition` was asked for. */
export interface TransitionCommandOptions {
  readonly workload?: string;
  readonly objective: 'gpus' | 'cost';
  readonly backend: Backend;
  readonly floor: FloorKind;
  readonly maxExtraGpus?: number;
  /** GPUs above the fewest. */
  readonly targetGpus: number;
  readonly method: 'least-change' | 'published';
  readonly defragment?: boolean;
  readonly maxMoves?: number;
  readonly durations?: string;
  readonly pareto?: boolean;
  readonly timeLimit?: number;
  readonly out?: string;
  readonly format?: 'json' | 'yaml';
  readonly svg?: string;
  readonly gpuModels?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `inlay transition`: from what runs to what should run, changing least, with no service below its floor. */
export function addTransitionCommand(program: Command, io: CliIo): void {
  program
    .command('transition')
    .summary('from what runs to what should run, changing least and dropping nothing')
    .description(
      'Chooses, among the plans with the fewest GPUs, one that keeps as many pods as possible where they run now, and the steps to it: no service falls below min(old rate, new rate) on the way, however long steps take.',
    )
    .argument('<state>', 'file of kind State: what runs now')
    .argument('<target>', 'file of kind Workload, or of kind Plan together with --workload')
    .addOption(new Option('--workload <file>', 'workload of the plan: its tables and rates'))
    .addOption(new Option('--objective <objective>', 'fewest GPUs or lowest cost').choices(['gpus', 'cost']).default('gpus'))
    .addOption(
      new Option('--backend <backend>', 'how instances are changed: one by one, a GPU at a time, or that with one wipe a node at a time')
        .choices(['instance', 'gpu-wipe', 'node'])
        .default('instance'),
    )
    .addOption(
      new Option('--floor <floor>', 'capacity that counts: measured, or what may be planned').choices(['raw', 'planned']).default('raw'),
    )
    .addOption(
      new Option(
        '--max-extra-gpus <count>',
        'GPUs in use above start and target (default: what the pools have free, 1 without a count)',
      ).argParser(parseCount),
    )
    .addOption(
      new Option('--target-gpus <+count>', 'GPUs of the target above the fewest, such as +1').argParser(parseAbove).default(0, '+0'),
    )
    .addOption(
      new Option('--method <method>', 'published: exchange-and-compact to a plan made afresh, for comparison')
        .choices(['least-change', 'published'])
        .default('least-change'),
    )
    .addOption(new Option('--defragment', 'keep every pod’s kind, and move a few so that the slices left free are of most use'))
    .addOption(new Option('--max-moves <count>', 'pods that --defragment may move (default: 4)').argParser(parseCount))
    .addOption(new Option('--durations <file>', 'file of kind Durations: how long steps take'))
    .addOption(new Option('--pareto', 'show what one, two and four more GPUs would save in pod starts; write no transition'))
    .addOption(
      new Option('--time-limit <duration>', 'take the best target found by then, such as 10s (default: none)').argParser(parseDurationMs),
    )
    .addOption(outOption('write the transition to a file'))
    .addOption(documentFormatOption())
    .addOption(new Option('--svg <file>', 'draw the transition as a picture'))
    .addOption(gpuModelsOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText(
      'after',
      examples(
        'inlay transition state.json workload.yaml -o transition.json --svg transition.svg',
        'inlay transition state.json plan.json --workload workload.yaml --backend gpu-wipe',
        'inlay transition state.json workload.yaml --max-extra-gpus 0',
        'inlay transition state.json workload.yaml --pareto',
        'inlay transition state.json workload.yaml --defragment --max-moves 2',
      ),
    )
    .action(async (state: string, target: string, options: TransitionCommandOptions) =>
      (await import('./run-transition.js')).runTransition({ state, target }, options, io),
    );
}

function parseAbove(text: string): number {
  if (!/^\+\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a plus sign and a whole number, such as +1.');
  return Number(text.slice(1));
}
