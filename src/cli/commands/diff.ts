import type { Command } from 'commander';
import { unfoldPlan } from '../../demand/documents/unfold-plan.js';
import type { WantedGpu } from '../../transition/diff/match-gpus.js';
import { examples, gpuModelsOption, jsonOption, quietOption } from '../common-options.js';
import type { CliIo } from '../io.js';
import { reportNotes, writeJson } from '../report-problems.js';

interface DiffOptions {
  readonly gpuModels?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `inlay diff`: what a plan or a transition would change, node by node. */
export function addDiffCommand(program: Command, io: CliIo): void {
  program
    .command('diff')
    .summary('what a plan would change, node by node')
    .description(
      'Compares what runs with a plan, or with the target of a transition: which pods are kept, restarted, moved, started and stopped, and which GPUs are cut anew. A plan whose GPUs are only numbered is laid over the GPUs that it resembles most.',
    )
    .argument('<state>', 'file of kind State: what runs now')
    .argument('<plan>', 'file of kind Plan or Transition')
    .addOption(gpuModelsOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText('after', examples('inlay diff state.json plan.json', 'inlay diff state.json transition.json'))
    .action((state: string, plan: string, options: DiffOptions) => runDiff(state, plan, options, io));
}

async function runDiff(stateFile: string, planFile: string, options: DiffOptions, io: CliIo): Promise<void> {
  const [{ readState }, { readCatalogue }, { diffState }] = await Promise.all([
    import('../../formats/read-state.js'),
    import('../read-catalogue.js'),
    import('../../transition/diff/diff-state.js'),
  ]);
  const state = await readState(stateFile, { catalogue: await readCatalogue(options.gpuModels) });
  const { gpus, bound } = await readTarget(planFile);
  reportNotes(state.notes, io, options);
  const diff = diffState(state.document, gpus, { bound });
  if (options.json === true) writeJson(io, diff);
  else {
    const { summarizeDiff } = await import('../diff-summary.js');
    io.stdout.write(summarizeDiff(diff));
  }
}

/** The GPUs of a plan, which need not be bound to physical ones, or of a transition's target, which are. */
async function readTarget(file: string): Promise<{ readonly gpus: readonly WantedGpu[]; readonly bound: boolean }> {
  const { readKind } = await import('../../formats/read-kind.js');
  if ((await readKind(file)) === 'Transition') {
    const { readTransition } = await import('../../formats/read-transition.js');
    return { gpus: (await readTransition(file)).target.gpus, bound: true };
  }
  const { readPlan } = await import('../../formats/read-plan.js');
  return { gpus: unfoldPlan(await readPlan(file)).gpus, bound: false };
}
