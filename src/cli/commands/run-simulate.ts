import type { PlanDocument } from '../../demand/documents/plan.js';
import type { Workload } from '../../demand/workload.js';
import { InlayError, inlayError } from '../../errors.js';
import { readPlan } from '../../formats/read-plan.js';
import { readWorkload } from '../../formats/read-workload.js';
import { drawLatencies } from '../../formats/svg/draw-latencies.js';
import { describeServices } from '../../simulate/describe-services.js';
import { rankOutcomes } from '../../simulate/rank-outcomes.js';
import type { ServiceOutcome } from '../../simulate/service-outcome.js';
import type { RunLength, SimulationRequest } from '../../simulate/simulate-service.js';
import type { SimulatedService } from '../../simulate/simulated-service.js';
import type { CliIo } from '../io.js';
import { outcomesToJson, summarizeOutcomes } from '../outcome-summary.js';
import { parseArrivals } from '../parse-arrivals.js';
import { createProgressLine } from '../progress-line.js';
import { readCatalogue } from '../read-catalogue.js';
import { reportNotes, writeJson } from '../report-problems.js';
import { createSimulationThreads } from '../simulation-threads.js';
import { writeResult } from '../write-result.js';
import { runSchedule } from './run-schedule.js';
import type { SimulateCommandOptions } from './simulate.js';

const usualPrecision = 0.05;
/** Services of which the picture shows the latencies. */
const mostDrawn = 6;

/** Runs `inlay simulate`: exit 1 when a service misses, 130 after Ctrl-C. */
export async function runSimulate(
  workloadFile: string | undefined,
  planFile: string | undefined,
  options: SimulateCommandOptions,
  io: CliIo,
): Promise<void> {
  if (options.schedule !== undefined) {
    if (workloadFile !== undefined)
      throw inlayError('USAGE', { message: 'A schedule names its workloads and plans itself: leave them out.' });
    return runSchedule(options.schedule, options, io);
  }
  if (workloadFile === undefined || planFile === undefined) {
    throw inlayError('USAGE', { message: 'Two files are needed: the workload, and a plan of it.' });
  }
  const catalogue = await readCatalogue(options.gpuModels);
  const { workload, notes } = await readWorkload(workloadFile, { catalogue });
  reportNotes(notes, io, options);
  const plan = await readPlan(planFile);
  const services = chooseServices(workload, await describe(workload, plan, options), options.services);
  const requests = services.map((service) => ({ service, batching: batchingOf(options), length: lengthOf(options), seed: options.seed }));
  const outcomes = await simulate(requests, options, io);
  if (outcomes === undefined) return io.setExitCode(130);
  await print(workload.name, rankOutcomes(outcomes), options, io);
  if (outcomes.some(({ verdict }) => verdict !== 'meets')) io.setExitCode(1);
}

async function describe(workload: Workload, plan: PlanDocument, options: SimulateCommandOptions): Promise<SimulatedService[]> {
  const settings = {
    ...(options.arrivals === undefined ? {} : { arrivals: await parseArrivals(options.arrivals, options.window / 1000) }),
    ...(options.router === undefined ? {} : { router: options.router }),
  };
  return describeServices(workload, plan, settings);
}

function chooseServices(workload: Workload, services: SimulatedService[], names: readonly string[] | undefined): SimulatedService[] {
  if (names === undefined) return services;
  const unknown = names.find((name) => !workload.services.some((service) => service.name === name));
  if (unknown !== undefined) {
    throw inlayError('UNKNOWN_SERVICE', { message: `workload ${workload.name} has no service ${unknown}`, received: unknown });
  }
  return services.filter(({ name }) => names.includes(name));
}

function batchingOf({ batchDelay, batchCv }: SimulateCommandOptions): SimulationRequest['batching'] {
  return { delayMs: batchDelay, batchVariation: batchCv };
}

function lengthOf({ requests, duration, precision = usualPrecision }: SimulateCommandOptions): RunLength {
  if (requests !== undefined) return { kind: 'requests', requests };
  if (duration !== undefined) return { kind: 'duration', seconds: duration / 1000 };
  return { kind: 'precise', precision, stretch: 1 };
}

/** Undefined after Ctrl-C. */
async function simulate(
  requests: readonly SimulationRequest[],
  options: SimulateCommandOptions,
  io: CliIo,
): Promise<readonly ServiceOutcome[] | undefined> {
  const line = createProgressLine(io, options);
  const threads = createSimulationThreads({
    threads: options.threads,
    onDone: (services, done) => line.show(`simulating  ${services} of ${requests.length} services  ${(done / 1e6).toFixed(1)} M requests`),
  });
  const interrupt = io.watchInterrupt();
  interrupt.addEventListener('abort', () => void threads.close(), { once: true });
  try {
    return interrupt.aborted ? undefined : await threads.simulate(requests);
  } catch (error) {
    if (error instanceof InlayError && error.code === 'STOPPED_EARLY') return undefined;
    throw error;
  } finally {
    line.clear();
    await threads.close();
  }
}

async function print(name: string, ranked: readonly ServiceOutcome[], options: SimulateCommandOptions, io: CliIo): Promise<void> {
  if (options.svg !== undefined) {
    const drawn = ranked.flatMap((outcome) => (outcome.kind === 'measured' ? [outcome] : [])).slice(0, mostDrawn);
    await writeResult(io, drawLatencies(name, drawn), options.svg);
  }
  if (options.json === true) writeJson(io, outcomesToJson(ranked));
  else io.stdout.write(summarizeOutcomes(name, ranked));
}
