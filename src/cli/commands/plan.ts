import { type Command, Option } from 'commander';
import type { PlanDocument } from '../../demand/documents/plan.js';
import type { StateDocument } from '../../demand/documents/state.js';
import type { Workload } from '../../demand/workload.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import type { PlanOptions, StrategyName } from '../../plan/plan.js';
import { documentFormatOption, examples, gpuModelsOption, jsonOption, outOption, parseDurationMs, quietOption } from '../common-options.js';
import type { CliIo } from '../io.js';
import { reportInfeasible, reportNotes, writeJson } from '../report-problems.js';
import type { RunLimits } from '../run-with-solver.js';
import { addStrategyFlags, describeStrategies, type StrategyFlags, strategyNames, strategyOptionsOf } from '../strategy-options.js';
import { writeResult } from '../write-result.js';

interface PlanCommandOptions extends StrategyFlags {
  readonly out?: string;
  readonly format?: 'json' | 'yaml';
  readonly strategy: StrategyName;
  readonly objective: PlanDocument['objective'];
  readonly timeLimit?: number;
  readonly current?: string;
  readonly deal: 'together' | 'spread';
  readonly spare?: 'spread' | 'none';
  readonly check?: 'quick' | 'full' | true;
  readonly explain?: string;
  readonly svg?: string;
  readonly gpuModels?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `inlay plan`: the fewest GPUs, the lowest cost or the largest share of the rates, with its proof. */
export function addPlanCommand(program: Command, io: CliIo): void {
  const command = program
    .command('plan')
    .summary('pack services onto the fewest GPUs, with a proof')
    .description(
      'Packs the services of a workload onto GPUs: how each GPU is cut, what runs on each slice at which batch size and process count, and a certificate that no plan is smaller.',
    )
    .argument('<workload>', 'file of kind Workload (YAML or JSON)')
    .addOption(outOption('write the plan to a file'))
    .addOption(documentFormatOption())
    .addOption(new Option('--strategy <strategy>', 'how to plan').choices(strategyNames).default('exact'))
    .addOption(
      new Option('--objective <objective>', 'fewest GPUs, lowest cost, or the largest share of every rate that the pools can serve')
        .choices(['gpus', 'cost', 'max-min'])
        .default('gpus'),
    )
    .addOption(
      new Option('--time-limit <duration>', 'keep the best plan found by then, such as 10s (default: none)').argParser(parseDurationMs),
    )
    .addOption(
      new Option(
        '--current <state>',
        'file of kind State: what is reserved there is left alone, and of the plans with the fewest GPUs that starting the fewest pods there is taken (with other ways to plan or deal only the first)',
      ),
    )
    .addOption(
      new Option('--deal <way>', "keep a service's instances together, or spread them over GPUs")
        .choices(['together', 'spread'])
        .default('together'),
    )
    .addOption(
      new Option('--spare <way>', 'share out what the GPUs have to spare, so that the fullest service is least full').choices([
        'spread',
        'none',
      ]),
    )
    .addOption(
      new Option(
        '--check [depth]',
        'plan by the tight rule, simulate, mend what misses its percentile; quick leaves out the longer second run',
      )
        .choices(['full', 'quick'])
        .preset('full'),
    )
    .addOption(new Option('--explain <service>', 'show the measured rows of a service and why each can or cannot be used; plan nothing'))
    .addOption(new Option('--svg <file>', 'draw the plan as a picture'))
    .addOption(gpuModelsOption())
    .addOption(jsonOption())
    .addOption(quietOption());
  addStrategyFlags(command)
    .addHelpText(
      'after',
      describeStrategies() +
        examples(
          'inlay plan workload.yaml',
          'inlay plan workload.yaml -o plan.json --svg plan.svg',
          'inlay plan workload.yaml --objective cost --time-limit 30s',
          'inlay plan workload.yaml --check -o plan.json',
          'inlay plan workload.yaml --explain resnet50',
        ),
    )
    .action((file: string, options: PlanCommandOptions) => runPlan(file, options, io));
}

async function runPlan(file: string, options: PlanCommandOptions, io: CliIo): Promise<void> {
  const [{ readWorkload }, { placeError }, { readCatalogue }, { startSolver }] = await Promise.all([
    import('../../formats/read-workload.js'),
    import('../../formats/read-document.js'),
    import('../read-catalogue.js'),
    import('../run-with-solver.js'),
  ]);
  const solver = options.explain === undefined && options.check === undefined ? startSolver() : undefined;
  const catalogue = await readCatalogue(options.gpuModels);
  const { workload, source, notes } = await readWorkload(file, { catalogue });
  reportNotes(notes, io, options);
  if (options.explain !== undefined) return explain(workload, options.explain, options, io);

  await planWorkload(workload, solver, catalogue, options, io).catch((error: unknown) => {
    throw placeError(error, source);
  });
}

async function planWorkload(
  workload: Workload,
  solver: RunLimits['solver'],
  catalogue: GpuCatalogue,
  options: PlanCommandOptions,
  io: CliIo,
): Promise<void> {
  const current = options.current === undefined ? undefined : await readCurrent(options.current, catalogue, options, io);
  const { objective, strategy, deal } = options;
  const spare = options.spare ?? (options.check === undefined ? 'none' : 'spread');
  const asked = {
    objective,
    strategy,
    deal,
    strategyOptions: strategyOptionsOf(options),
    ...(spare === 'spread' && { spare }),
    ...(current && { current }),
  };
  if (options.check !== undefined) return planChecked(workload, asked, catalogue, options, io);
  const { planOntoWithLimits, planWithLimits } = await import('../plan-with-limits.js');
  const isOnto = strategy === 'exact' && deal === 'together' && spare === 'none';
  const { result, interrupted } =
    current !== undefined && isOnto && objective !== 'max-min'
      ? await planOntoWithLimits(current, workload, objective, { ...options, solver }, io)
      : await planWithLimits(workload, asked, { ...options, solver }, io);
  if (result.kind === 'infeasible') reportInfeasible(result, io, options);
  else await writePlan(result.plan, workload, catalogue, options, io);
  if (interrupted) io.setExitCode(130);
}

async function planChecked(
  workload: Workload,
  asked: Omit<PlanOptions, 'solver'>,
  catalogue: GpuCatalogue,
  options: PlanCommandOptions,
  io: CliIo,
): Promise<void> {
  const { checkWithLimits } = await import('../check-with-limits.js');
  const settings = { depth: options.check === 'quick' ? 'quick' : 'full', seed: options.seed ?? 1 } as const;
  const { result, interrupted } = await checkWithLimits(workload, asked, settings, options, io);
  if (result.kind === 'infeasible') reportInfeasible(result, io, options);
  else await writePlan(result.plan, workload, catalogue, options, io);
  if (result.kind === 'checked') {
    const { summarizeCheck } = await import('../check-summary.js');
    if (options.json !== true && options.format === undefined) io.stdout.write(summarizeCheck(result));
    if (!result.passed) io.setExitCode(1);
  }
  if (interrupted) io.setExitCode(130);
}

async function readCurrent(file: string, catalogue: GpuCatalogue, options: PlanCommandOptions, io: CliIo): Promise<StateDocument> {
  const { readState } = await import('../../formats/read-state.js');
  const { document, notes } = await readState(file, { catalogue });
  reportNotes(notes, io, options);
  return document;
}

async function explain(workload: Workload, service: string, options: PlanCommandOptions, io: CliIo): Promise<void> {
  const { explainService } = await import('../../demand/explain-service.js');
  const { summarizeExplanation } = await import('../explanation-summary.js');
  const explanation = explainService(workload, service);
  if (options.json === true) writeJson(io, explanation);
  else io.stdout.write(summarizeExplanation(explanation));
}

async function writePlan(
  plan: PlanDocument,
  workload: Workload,
  catalogue: GpuCatalogue,
  options: PlanCommandOptions,
  io: CliIo,
): Promise<void> {
  const { formatDocument } = await import('../../formats/write-document.js');
  if (options.svg !== undefined) {
    const { drawPlan } = await import('../../formats/svg/draw-plan.js');
    await writeResult(io, drawPlan(plan, catalogue.models), options.svg);
  }
  if (options.out !== undefined) await writeResult(io, formatDocument(plan, options.format ?? 'json'), options.out);
  if (options.json === true) writeJson(io, plan);
  else if (options.format !== undefined && options.out === undefined) io.stdout.write(formatDocument(plan, options.format));
  else {
    const { summarizePlan } = await import('../plan-summary.js');
    io.stdout.write(summarizePlan(plan, workload.services));
  }
}
