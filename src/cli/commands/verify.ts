import { type Command, Option } from 'commander';
import { examples, gpuModelsOption, jsonOption, quietOption } from '../common-options.js';
import type { CliIo } from '../io.js';
import { reportNotes, writeJson } from '../report-problems.js';

interface VerifyCommandOptions {
  readonly current?: string;
  readonly gpuModels?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `inlay verify`: every promise of a plan and its certificate, independently of the planner; exit code 1 when one is broken. */
export function addVerifyCommand(program: Command, io: CliIo): void {
  program
    .command('verify')
    .summary('check every promise of a plan and its proof')
    .description(
      'Checks a plan against its workload, independently of the planner: layouts, measured rows, latency, capacities, totals, pool limits, and the certificate that no plan is smaller.',
    )
    .argument('<workload>', 'file of kind Workload (YAML or JSON)')
    .argument('<plan>', 'file of kind Plan')
    .addOption(new Option('--current <state>', 'file of kind State: also check that what is reserved there is left alone'))
    .addOption(gpuModelsOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText(
      'after',
      examples('inlay verify workload.yaml plan.json', 'inlay verify workload.yaml plan.json --current state.json --json'),
    )
    .action((workload: string, plan: string, options: VerifyCommandOptions) => runVerify(workload, plan, options, io));
}

async function runVerify(workloadFile: string, planFile: string, options: VerifyCommandOptions, io: CliIo): Promise<void> {
  const [{ readWorkload }, { readPlan }, { readCatalogue }, { verifyPlan }] = await Promise.all([
    import('../../formats/read-workload.js'),
    import('../../formats/read-plan.js'),
    import('../read-catalogue.js'),
    import('../../verify/verify-plan.js'),
  ]);
  const catalogue = await readCatalogue(options.gpuModels);
  const { workload, notes } = await readWorkload(workloadFile, { catalogue });
  reportNotes(notes, io, options);
  const plan = await readPlan(planFile);
  const state =
    options.current === undefined
      ? undefined
      : await (await import('../../formats/read-state.js')).readState(options.current, { catalogue });
  reportNotes(state?.notes ?? [], io, options);
  const report = verifyPlan(workload, plan, { current: state?.document });
  if (options.json === true) writeJson(io, report);
  else {
    const { summarizeReport } = await import('../verify-summary.js');
    io.stdout.write(summarizeReport(report));
  }
  if (report.kind === 'broken') io.setExitCode(1);
}
