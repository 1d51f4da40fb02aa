import type { GroupObjective } from '../../colocate/group/group-jobs.js';
import { suggestGroups } from '../../colocate/suggest/suggest-groups.js';
import { readInterferenceModel } from '../../formats/colocate/read-interference-model.js';
import { readJobs } from '../../formats/colocate/read-jobs.js';
import { readWorkloads } from '../../formats/colocate/read-workloads.js';
import { createInlineSolver } from '../../solver/highs/highs-solver.js';
import { formatSuggestions } from '../colocation-text.js';
import type { CliIo } from '../io.js';
import { writeJson } from '../report-problems.js';
import { requireMeasured } from './colocate-inputs.js';

interface SuggestOptions {
  readonly model: string;
  readonly workloads: string;
  readonly budget: number;
  readonly jobs?: string;
  readonly gpus?: number;
  readonly maxGroup: number;
  readonly objective: GroupObjective;
  readonly json?: boolean;
}

/** Runs `inlay colocate suggest`. */
export async function runSuggest(options: SuggestOptions, io: CliIo): Promise<void> {
  const workloads = await readWorkloads(options.workloads);
  const model = await readInterferenceModel(options.model);
  const jobs = options.jobs === undefined ? undefined : await readJobs(options.jobs, workloads);
  const asked = jobs === undefined ? workloads : workloads.filter(({ name }) => jobs.jobs.some(({ workload }) => workload === name));
  requireMeasured(workloads, new Set(asked.map(({ name }) => name)), options.workloads);
  const { objective, maxGroup, gpus, budget } = options;
  const plannedFor = jobs && {
    document: jobs,
    options: { objective, maxGroup, ...(gpus !== undefined && { gpus }), solver: await createInlineSolver() },
  };
  const suggested = await suggestGroups(asked, model, budget, plannedFor);
  if (options.json === true) writeJson(io, suggested);
  else io.stdout.write(formatSuggestions(suggested));
}
