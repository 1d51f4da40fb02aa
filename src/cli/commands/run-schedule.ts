import { InlayError } from '../../errors.js';
import { readSchedule } from '../../formats/read-schedule.js';
import { describeSchedule } from '../../simulate/schedule/describe-schedule.js';
import type { ScheduleOutcome } from '../../simulate/schedule/scheduled-service.js';
import type { ScheduleRequest } from '../../simulate/schedule/simulate-schedule.js';
import type { CliIo } from '../io.js';
import { createProgressLine } from '../progress-line.js';
import { readCatalogue } from '../read-catalogue.js';
import { reportNotes, writeJson } from '../report-problems.js';
import { summarizeSchedule } from '../schedule-summary.js';
import { createSimulationThreads } from '../simulation-threads.js';
import type { SimulateCommandOptions } from './simulate.js';

/** Runs `inlay simulate --schedule`: exit 1 when a service misses its percentile in some phase, 130 after Ctrl-C. */
export async function runSchedule(file: string, options: SimulateCommandOptions, io: CliIo): Promise<void> {
  const catalogue = await readCatalogue(options.gpuModels);
  const { schedule, notes } = await readSchedule(file, { catalogue });
  reportNotes(notes, io, options);
  const batching = { delayMs: options.batchDelay, batchVariation: options.batchCv };
  const requests = describeSchedule(schedule)
    .filter(({ name }) => options.services?.includes(name) ?? true)
    .map((service) => ({ service, batching, seed: options.seed }));
  const outcomes = await play(requests, options, io);
  if (outcomes === undefined) return io.setExitCode(130);
  if (options.json === true) writeJson(io, { name: schedule.name, services: outcomes });
  else io.stdout.write(summarizeSchedule(schedule.name, outcomes));
  if (outcomes.some(({ phases }) => phases.some(({ meets }) => !meets))) io.setExitCode(1);
}

/** Undefined after Ctrl-C. */
async function play(
  requests: readonly ScheduleRequest[],
  options: SimulateCommandOptions,
  io: CliIo,
): Promise<readonly ScheduleOutcome[] | undefined> {
  const line = createProgressLine(io, options);
  const threads = createSimulationThreads({
    threads: options.threads,
    onDone: (services, done) => line.show(`simulating  ${services} of ${requests.length} services  ${(done / 1e6).toFixed(1)} M requests`),
  });
  const interrupt = io.watchInterrupt();
  interrupt.addEventListener('abort', () => void threads.close(), { once: true });
  try {
    return interrupt.aborted ? undefined : await threads.playSchedule(requests);
  } catch (error) {
    if (error instanceof InlayError && error.code === 'STOPPED_EARLY') return undefined;
    throw error;
  } finally {
    line.clear();
    await threads.close();
  }
}
