import { checkPlanTarget } from '../../demand/check-plan-target.js';
import type { PlanDocument } from '../../demand/documents/plan.js';
import type { StateDocument } from '../../demand/documents/state.js';
import type { TransitionDocument } from '../../demand/documents/transition.js';
import type { Workload } from '../../demand/workload.js';
import { InlayError, inlayError } from '../../errors.js';
import { readDurations } from '../../formats/read-durations.js';
import { readKind } from '../../formats/read-kind.js';
import { readPlan } from '../../formats/read-plan.js';
import { readState } from '../../formats/read-state.js';
import { readWorkload } from '../../formats/read-workload.js';
import { formatDocument } from '../../formats/write-document.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import { compareRoom } from '../../transition/compare-room.js';
import { defragment } from '../../transition/defragment.js';
import { transition } from '../../transition/transition.js';
import type { CliIo } from '../io.js';
import { comparePareto } from '../pareto.js';
import { readCatalogue } from '../read-catalogue.js';
import { reportInfeasible, reportNotes, writeJson } from '../report-problems.js';
import { summarizeRoom } from '../room-summary.js';
import { runWithSolver } from '../run-with-solver.js';
import { summarizeTransition } from '../transition-summary.js';
import { writeResult } from '../write-result.js';
import type { TransitionCommandOptions } from './transition.js';

/** Reads the files, searches, and writes the transition, the picture and the summary. */
export async function runTransition(
  files: { readonly state: string; readonly target: string },
  options: TransitionCommandOptions,
  io: CliIo,
): Promise<void> {
  refuseContradictions(options);
  const catalogue = await readCatalogue(options.gpuModels);
  const state = await readState(files.state, { catalogue });
  const target = await readTarget(files.target, options.workload, catalogue);
  reportNotes([...state.notes, ...target.notes], io, options);
  const { objective, backend, floor, maxExtraGpus, targetGpus: above, method } = options;
  const steps = {
    backend,
    floor,
    ...(maxExtraGpus !== undefined && { maxExtraGpus }),
    ...(options.durations !== undefined && { durations: await readDurations(options.durations) }),
  };
  const asked = { ...steps, objective, above, method, ...(target.plan && { plan: target.plan }) };
  if (options.pareto === true) return comparePareto(state.document, target.workload, asked, options, io);
  const { result, interrupted } = await runWithSolver(
    'planning the transition',
    (context) =>
      options.defragment === true
        ? defragment(state.document, target.workload, { ...steps, ...context, maxMoves: options.maxMoves ?? usualMoves })
        : transition(state.document, target.workload, { ...asked, ...context }),
    options,
    io,
  );
  if (result.kind === 'infeasible') reportInfeasible(result, io, options);
  else await writeTransition(state.document, result.transition, target.workload, catalogue, options, io);
  if (interrupted) io.setExitCode(130);
}

/** Moves of `--defragment` where nobody says how many. */
const usualMoves = 4;

/** Options that leave nothing of each other. */
function refuseContradictions({ defragment, maxMoves, pareto, method, targetGpus, workload, svg, out }: TransitionCommandOptions): void {
  const refuse = (message: string, hint: string): never => {
    throw inlayError('USAGE', { message, hint });
  };
  if (maxMoves !== undefined && defragment !== true) refuse('--max-moves goes with --defragment.', 'Add --defragment.');
  if (defragment === true && (pareto === true || method === 'published' || targetGpus > 0 || workload !== undefined)) {
    refuse(
      '--defragment keeps every pod’s kind: there is no other target to choose.',
      'Name the state and its workload, and leave out --pareto, --method, --target-gpus and --workload.',
    );
  }
  if (method === 'published' && (pareto === true || targetGpus > 0)) {
    refuse('--method published takes a fresh plan as it is.', 'Leave out --pareto and --target-gpus, or --method published.');
  }
  if (pareto === true && (svg !== undefined || out !== undefined)) {
    refuse('--pareto compares targets and writes no transition.', 'Leave out --out and --svg, or --pareto.');
  }
}

interface Target {
  readonly workload: Workload;
  readonly plan: PlanDocument | undefined;
  readonly notes: Awaited<ReturnType<typeof readWorkload>>['notes'];
}

/** A workload, or a plan with the workload it is for. Throws InlayError USAGE or PLAN_MISMATCH where the two do not fit. */
async function readTarget(file: string, workloadFile: string | undefined, catalogue: GpuCatalogue): Promise<Target> {
  const isPlan = (await readKind(file)) === 'Plan';
  if (isPlan && workloadFile === undefined) {
    throw inlayError('USAGE', { message: `${file} is a Plan: its workload is needed as well.`, hint: 'Add --workload FILE.' });
  }
  if (!isPlan && workloadFile !== undefined) {
    throw inlayError('USAGE', {
      message: `--workload goes with a plan, and ${file} is none.`,
      hint: 'Name the workload alone, or a plan and its workload.',
    });
  }
  const { workload, notes } = await readWorkload(workloadFile ?? file, { catalogue });
  if (!isPlan) return { workload, notes, plan: undefined };
  const plan = await readPlan(file);
  const problems = checkPlanTarget(plan, workload);
  if (problems.length > 0) throw new InlayError(problems.map((problem) => ({ ...problem, file })));
  return { workload, notes, plan };
}

async function writeTransition(
  state: StateDocument,
  document: TransitionDocument,
  workload: Workload,
  catalogue: GpuCatalogue,
  options: TransitionCommandOptions,
  io: CliIo,
): Promise<void> {
  if (options.svg !== undefined) {
    const { drawTransition } = await import('../../formats/svg/draw-transition.js');
    await writeResult(io, drawTransition(state, document, catalogue.models), options.svg);
  }
  if (options.out !== undefined) await writeResult(io, formatDocument(document, options.format ?? 'json'), options.out);
  if (options.json === true) writeJson(io, document);
  else if (options.format !== undefined && options.out === undefined) io.stdout.write(formatDocument(document, options.format));
  else {
    io.stdout.write(summarizeTransition(state, document));
    if (options.defragment === true) io.stdout.write(summarizeRoom(compareRoom(state.gpus, document.target.gpus, workload)));
  }
}
