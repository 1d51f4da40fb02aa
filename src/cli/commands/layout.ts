import { type Command, Option } from 'commander';
import { examples, gpuModelsOption, jsonOption, parseCount, parseList, quietOption } from '../common-options.js';
import type { CliIo } from '../io.js';

/** Options that every layout command has. */
export interface LayoutOptions {
  readonly gpuModels?: string;
  readonly forbid4gWith3g?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const modelArgument = ['<model>', 'GPU model, such as H100-80GB'] as const;
const profilesArgument = ['<profile...>', 'MIG profiles, each once or xN times: 3g.40gb 1g.10gbx4'] as const;

/** `inlay layout check|list|place`: which instances fit on a GPU together, and where. */
export function addLayoutCommand(program: Command, io: CliIo): void {
  const layout = program.command('layout').summary('which MIG instances fit on a GPU together, and where');
  layout.description('Answers which MIG instances fit on a GPU together: by placements in memory slices, never by counting slices.');
  const check = withCommonOptions(layout.command('check'))
    .summary('legal on one GPU? with starts, or the reason why not')
    .description('Places the instances on one GPU, beside what is occupied, or says which slices are exhausted and by what.')
    .argument(...modelArgument)
    .argument(...profilesArgument)
    .addOption(new Option('--occupied <instances>', 'instances already there, PROFILE@START,...').argParser(parseList))
    .addHelpText(
      'after',
      examples('inlay layout check A100-40GB 4g.20gb 3g.20gb', 'inlay layout check A30 2g.12gb --occupied 1g.6gb@0,1g.6gb@1'),
    );
  check.action(async (model: string, profiles: readonly string[], options) =>
    (await import('./layout-check.js')).runLayoutCheck(model, profiles, options, io),
  );
  const list = withCommonOptions(layout.command('list'))
    .summary('the legal layouts of a GPU')
    .description(
      'Lists the legal layouts of a GPU: all of them, those to which nothing can be added, or the combinations that no other contains.',
    )
    .argument(...modelArgument)
    .addOption(new Option('--maximal', 'only layouts to which no instance can be added').conflicts('undominated'))
    .addOption(new Option('--undominated', 'only combinations of profiles that no other combination contains'))
    .addOption(
      new Option('--profiles <list>', 'profiles to use (default: the base ones, without double-memory and media)').argParser(parseList),
    )
    .addHelpText(
      'after',
      examples('inlay layout list H100-80GB --undominated', 'inlay layout list A30 --maximal --profiles 1g.6gb,2g.12gb'),
    );
  list.action(async (model: string, options) => (await import('./layout-list.js')).runLayoutList(model, options, io));
  const place = withCommonOptions(layout.command('place'))
    .summary('place instances onto the fewest empty GPUs')
    .description('Places the instances onto the fewest of so many empty GPUs of one model.')
    .argument(...modelArgument)
    .argument(...profilesArgument)
    .addOption(new Option('--gpus <number>', 'empty GPUs at hand').argParser(parseCount).makeOptionMandatory())
    .addHelpText('after', examples('inlay layout place H100-80GB 1g.10gbx7 --gpus 4'));
  place.action(async (model: string, profiles: readonly string[], options) =>
    (await import('./layout-place.js')).runLayoutPlace(model, profiles, options, io),
  );
}

function withCommonOptions(command: Command): Command {
  return command
    .addOption(new Option('--forbid-4g-with-3g', 'keep a 4g and a 3g apart, as drivers before R510 do'))
    .addOption(gpuModelsOption())
    .addOption(jsonOption())
    .addOption(quietOption());
}
