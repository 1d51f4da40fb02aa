import { readWorkload } from '../../formats/read-workload.js';
import { type Comparison, compareStrategies } from '../compare-strategies.js';
import { comparisonsToJson, formatComparisons } from '../comparison-table.js';
import type { CliIo } from '../io.js';
import { readCatalogue } from '../read-catalogue.js';
import { reportNotes, writeJson } from '../report-problems.js';
import { strategyOptionsOf } from '../strategy-options.js';
import { writeResult } from '../write-result.js';
import type { CompareCommandOptions } from './compare.js';

/** Runs `inlay compare`: exit 1 when a plan is broken, 3 when a workload has no plan at all, 130 after Ctrl-C. */
export async function runCompare(files: readonly string[], options: CompareCommandOptions, io: CliIo): Promise<void> {
  const catalogue = await readCatalogue(options.gpuModels);
  // All files are read first, so that a mistake in the last one does not cost the time of the others.
  const inputs = await Promise.all(files.map((file) => readWorkload(file, { catalogue })));
  for (const { notes } of inputs) reportNotes(notes, io, options);
  const { strategies, objective } = options;
  const interrupt = io.watchInterrupt();
  const oneInterrupt = { ...io, watchInterrupt: () => interrupt };
  const comparisons: Comparison[] = [];
  for (const { workload } of inputs) {
    if (interrupt.aborted) break;
    const asked = { strategies, objective, strategyOptions: strategyOptionsOf(options) };
    comparisons.push(await compareStrategies(workload, asked, options, oneInterrupt));
  }
  await print(comparisons, options, io);
  const outcomes = comparisons.map((comparison) => comparison.strategies.map(({ outcome }) => outcome.kind));
  if (interrupt.aborted) io.setExitCode(130);
  else if (outcomes.flat().includes('broken')) io.setExitCode(1);
  else if (outcomes.some((kinds) => !kinds.includes('planned'))) io.setExitCode(3);
}

async function print(comparisons: readonly Comparison[], options: CompareCommandOptions, io: CliIo): Promise<void> {
  const { format, seconds, out, json } = options;
  const data = comparisonsToJson(comparisons, seconds);
  const text = format === 'json' ? `${JSON.stringify(data, null, 2)}\n` : formatComparisons(comparisons, format, seconds);
  if (out !== undefined) await writeResult(io, text, out);
  if (json === true) writeJson(io, data);
  else if (out === undefined) io.stdout.write(text);
}
