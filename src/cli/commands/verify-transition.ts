import type { Command } from 'commander';
import { examples, gpuModelsOption, jsonOption, quietOption } from '../common-options.js';
import type { CliIo } from '../io.js';
import { reportNotes, writeJson } from '../report-problems.js';

interface VerifyTransitionOptions {
  readonly gpuModels?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `inlay verify-transition`: carries out a transition step by step and checks every promise; exit code 1 when one is broken. */
export function addVerifyTransitionCommand(program: Command, io: CliIo): void {
  program
    .command('verify-transition')
    .summary('check every promise of a transition, step by step')
    .description(
      'Carries out the steps of a transition on the state it begins from, independently of the planner: layouts, pods, floors, backend rules, peak and target at every moment, and that its dependencies alone keep all of that, however long steps take.',
    )
    .argument('<state>', 'file of kind State: what runs before')
    .argument('<transition>', 'file of kind Transition')
    .argument('<workload>', 'file of kind Workload: what should be delivered after')
    .addOption(gpuModelsOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText('after', examples('inlay verify-transition state.json transition.json workload.yaml'))
    .action((state: string, transition: string, workload: string, options: VerifyTransitionOptions) =>
      runVerifyTransition({ state, transition, workload }, options, io),
    );
}

async function runVerifyTransition(
  files: { readonly state: string; readonly transition: string; readonly workload: string },
  options: VerifyTransitionOptions,
  io: CliIo,
): Promise<void> {
  const [{ readState }, { readTransition }, { readWorkload }, { readCatalogue }, { verifyTransition }] = await Promise.all([
    import('../../formats/read-state.js'),
    import('../../formats/read-transition.js'),
    import('../../formats/read-workload.js'),
    import('../read-catalogue.js'),
    import('../../verify/verify-transition.js'),
  ]);
  const catalogue = await readCatalogue(options.gpuModels);
  const state = await readState(files.state, { catalogue });
  const transition = await readTransition(files.transition);
  const { workload, notes } = await readWorkload(files.workload, { catalogue });
  reportNotes([...state.notes, ...notes], io, options);
  const report = verifyTransition(state.document, transition, workload);
  if (options.json === true) writeJson(io, report);
  else {
    const { summarizeTransitionReport } = await import('../verify-summary.js');
    io.stdout.write(summarizeTransitionReport(report));
  }
  if (report.kind === 'broken') io.setExitCode(1);
}
