import { evaluatePolicy, type PolicyScore } from '../../colocate/evaluate/evaluate-splits.js';
import { type PolicyName, policies } from '../../colocate/evaluate/policies.js';
import { suggestNames } from '../../demand/did-you-mean.js';
import { inlayError } from '../../errors.js';
import { readSplits } from '../../formats/colocate/read-splits.js';
import { formatEvaluation } from '../colocation-text.js';
import type { CliIo } from '../io.js';
import { createProgressLine } from '../progress-line.js';
import { writeJson } from '../report-problems.js';
import { readMeasurements } from './colocate-inputs.js';

interface EvaluateOptions {
  readonly workloads: string;
  readonly groups: readonly string[];
  readonly splits: string;
  readonly models?: readonly string[];
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Runs `inlay colocate evaluate`. */
export async function runEvaluate(options: EvaluateOptions, io: CliIo): Promise<void> {
  const names = (options.models ?? Object.keys(policies)).map(checkPolicy);
  const { workloads, groups } = await readMeasurements(options.workloads, options.groups, options, io);
  const cases = await readSplits(options.splits, groups);
  const line = createProgressLine(io, options);
  const results: { readonly case: string; readonly scores: readonly PolicyScore[] }[] = [];
  for (const { name, splits } of cases) {
    line.show(`evaluating ${name}`);
    results.push({ case: name, scores: names.map((policy) => evaluatePolicy(policy, splits, workloads)) });
  }
  line.clear();
  if (options.json === true) writeJson(io, results);
  else io.stdout.write(formatEvaluation(results));
}

function checkPolicy(name: string): PolicyName {
  if (Object.hasOwn(policies, name)) return name as PolicyName;
  const known = Object.keys(policies);
  const hint = suggestNames(name, known);
  throw inlayError('USAGE', {
    message: `There is no predictor or rule ${name}.`,
    expected: known.join(', '),
    received: name,
    ...(hint && { hint }),
  });
}
