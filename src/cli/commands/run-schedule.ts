import { readSchedule } from '../../formats/read-schedule.js';
import { describeSchedule } from '../../simulate/schedule/describe-schedule.js';
import { chooseServices } from '../choose-services.js';
import type { CliIo } from '../io.js';
import { readCatalogue } from '../read-catalogue.js';
import { reportNotes, writeJson } from '../report-problems.js';
import { runOnThreads } from '../run-on-threads.js';
import { summarizeSchedule } from '../schedule-summary.js';
import type { SimulateCommandOptions } from './simulate.js';

/** Runs `inlay simulate --schedule`: exit 1 when a service misses its percentile in some phase, 130 after Ctrl-C. */
export async function runSchedule(file: string, options: SimulateCommandOptions, io: CliIo): Promise<void> {
  const catalogue = await readCatalogue(options.gpuModels);
  const { schedule, notes } = await readSchedule(file, { catalogue });
  reportNotes(notes, io, options);
  const batching = { delayMs: options.batchDelay, batchVariation: options.batchCv };
  const services = describeSchedule(schedule);
  const chosen = chooseServices(schedule.name, services, services, options.services);
  const requests = chosen.map((service) => ({ service, batching, seed: options.seed }));
  const outcomes = await runOnThreads({ ...options, services: requests.length }, io, (threads) => threads.playSchedule(requests));
  if (outcomes === undefined) return io.setExitCode(130);
  if (options.json === true) writeJson(io, { name: schedule.name, services: outcomes });
  else io.stdout.write(summarizeSchedule(schedule.name, outcomes));
  if (outcomes.some(({ phases }) => phases.some(({ meets }) => !meets))) io.setExitCode(1);
}
