import { contendedResources } from '../../colocate/describe-contention.js';
import { type MeasuredWorkload, mostColocated } from '../../colocate/measured-workload.js';
import { createPredictor } from '../../colocate/predictor/interference-predictor.js';
import { suggestNames } from '../../demand/did-you-mean.js';
import { InlayError, inlayError, problem } from '../../errors.js';
import { type NamedGroup, readNamedGroups } from '../../formats/colocate/read-groups.js';
import { readInterferenceModel } from '../../formats/colocate/read-interference-model.js';
import { readWorkloads } from '../../formats/colocate/read-workloads.js';
import { formatPrediction } from '../colocation-text.js';
import type { CliIo } from '../io.js';
import { writeJson } from '../report-problems.js';
import { requireMeasured } from './colocate-inputs.js';

interface PredictOptions {
  readonly model: string;
  readonly workloads: string;
  readonly group?: readonly string[];
  readonly groups?: string;
  readonly json?: boolean;
}

/** Runs `inlay colocate predict`. */
export async function runPredict(options: PredictOptions, io: CliIo): Promise<void> {
  const workloads = await readWorkloads(options.workloads);
  const model = await readInterferenceModel(options.model);
  const groups = await readGroups(options, workloads);
  requireMeasured(workloads, new Set(groups.flatMap(({ members }) => members)), options.workloads);
  const byName = new Map(workloads.map((workload) => [workload.name, workload]));
  const predictor = createPredictor(model);
  const predictions = groups.map(({ id, members }) => {
    const measured = members.map((name) => byName.get(name) as MeasuredWorkload);
    const predicted = predictor.predict(measured);
    return {
      id,
      members: predicted,
      total: predicted.reduce((sum, { throughput }) => sum + throughput, 0),
      contention: contendedResources(measured),
    };
  });
  if (options.json === true) writeJson(io, predictions);
  else io.stdout.write(predictions.map(formatPrediction).join('\n'));
}

async function readGroups(options: PredictOptions, workloads: readonly MeasuredWorkload[]): Promise<readonly NamedGroup[]> {
  const known = workloads.map(({ name }) => name);
  if (options.groups !== undefined) return readNamedGroups(options.groups, known);
  const { group = [] } = options;
  if (group.length === 0)
    throw inlayError('USAGE', { message: 'No group was named.', hint: 'Name its members with --group a,b or groups with --groups FILE.' });
  if (group.length > mostColocated)
    throw inlayError('USAGE', {
      message: `The group has ${group.length} members.`,
      expected: `at most ${mostColocated}, as many as MPS serves`,
      received: `${group.length}`,
    });
  const unknown = group.filter((name) => !known.includes(name));
  if (unknown.length === 0) return [{ id: group.join('+'), members: group }];
  throw new InlayError(
    unknown.map((name) => {
      const hint = suggestNames(name, known);
      return problem('UNKNOWN_WORKLOAD', {
        message: `The workload ${name} is not in ${options.workloads}.`,
        received: name,
        ...(hint && { hint }),
      });
    }),
  );
}
