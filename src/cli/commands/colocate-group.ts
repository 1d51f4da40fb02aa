import { type GroupObjective, groupJobs } from '../../colocate/group/group-jobs.js';
import type { GroupRisk } from '../../colocate/group/rate-groups.js';
import { readInterferenceModel } from '../../formats/colocate/read-interference-model.js';
import { readJobs } from '../../formats/colocate/read-jobs.js';
import { readWorkloads } from '../../formats/colocate/read-workloads.js';
import { createInlineSolver } from '../../solver/highs/highs-solver.js';
import { formatGrouping } from '../colocation-text.js';
import type { CliIo } from '../io.js';
import { reportInfeasible, writeJson } from '../report-problems.js';
import { requireMeasured } from './colocate-inputs.js';

interface GroupCommandOptions {
  readonly model: string;
  readonly workloads: string;
  readonly jobs: string;
  readonly gpus?: number;
  readonly maxGroup: number;
  readonly objective: GroupObjective;
  readonly risk: GroupRisk;
  readonly json?: boolean;
}

/** Runs `inlay colocate group`: exit 0 with a grouping, 3 with the reason why there is none. */
export async function runGroup(options: GroupCommandOptions, io: CliIo): Promise<void> {
  const workloads = await readWorkloads(options.workloads);
  const jobs = await readJobs(options.jobs, workloads);
  const model = await readInterferenceModel(options.model);
  requireMeasured(workloads, new Set(jobs.jobs.map(({ workload }) => workload)), options.workloads);
  const { objective, risk, maxGroup, gpus } = options;
  const solver = await createInlineSolver();
  const result = await groupJobs(jobs, workloads, model, { objective, risk, maxGroup, ...(gpus !== undefined && { gpus }), solver });
  if (result.kind === 'infeasible') reportInfeasible(result, io, options);
  else if (options.json === true) writeJson(io, result);
  else io.stdout.write(formatGrouping(result, jobs.gpu.memoryGiB));
}
