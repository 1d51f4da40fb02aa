import { trainInterference } from '../../colocate/predictor/train-interference.js';
import { formatDocument } from '../../formats/write-document.js';
import { formatTraining } from '../colocation-text.js';
import type { CliIo } from '../io.js';
import { writeJson } from '../report-problems.js';
import { writeResult } from '../write-result.js';
import { readMeasurements } from './colocate-inputs.js';

interface TrainOptions {
  readonly workloads: string;
  readonly groups: readonly string[];
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Runs `inlay colocate train`. Without `-o` the model goes to stdout and the summary to stderr. */
export async function runTrain(options: TrainOptions, io: CliIo): Promise<void> {
  const { workloads, groups } = await readMeasurements(options.workloads, options.groups, options, io);
  const model = trainInterference('interference', groups, workloads);
  if (options.out !== undefined) await writeResult(io, formatDocument(model), options.out);
  const summary = formatTraining(model);
  if (options.json === true || options.out === undefined) {
    writeJson(io, model);
    if (options.json !== true && options.quiet !== true) io.stderr.write(summary);
  } else io.stdout.write(summary);
}
