import type { PlanDocument } from '../../demand/documents/plan.js';
import type { Workload } from '../../demand/workload.js';
import { inlayError } from '../../errors.js';
import { readPlan } from '../../formats/read-plan.js';
import { readWorkload } from '../../formats/read-workload.js';
import { drawLatencies } from '../../formats/svg/draw-latencies.js';
import { describeServices } from '../../simulate/describe-services.js';
import { rankOutcomes } from '../../simulate/rank-outcomes.js';
import type { ServiceOutcome } from '../../simulate/service-outcome.js';
import type { RunLength, SimulationRequest } from '../../simulate/simulate-service.js';
import type { SimulatedService } from '../../simulate/simulated-service.js';
import { chooseServices } from '../choose-services.js';
import type { CliIo } from '../io.js';
import { outcomesToJson, summarizeOutcomes } from '../outcome-summary.js';
import { parseArrivals } from '../parse-arrivals.js';
import { readCatalogue } from '../read-catalogue.js';
import { reportNotes, writeJson } from '../report-problems.js';
import { runOnThreads } from '../run-on-threads.js';
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
  const services = chooseServices(workload.name, workload.services, await describe(workload, plan, options), options.services);
  const requests = services.map((service) => ({ service, batching: batchingOf(options), length: lengthOf(options), seed: options.seed }));
  const outcomes = await runOnThreads({ ...options, services: requests.length }, io, (threads) => threads.simulate(requests));
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

function batchingOf({ batchDelay, batchCv }: SimulateCommandOptions): SimulationRequest['batching'] {
  return { delayMs: batchDelay, batchVariation: batchCv };
}

function lengthOf({ requests, duration, precision = usualPrecision }: SimulateCommandOptions): RunLength {
  if (requests !== undefined) return { kind: 'requests', requests };
  if (duration !== undefined) return { kind: 'duration', seconds: duration / 1000 };
  return { kind: 'precise', precision, stretch: 1 };
}

async function print(name: string, ranked: readonly ServiceOutcome[], options: SimulateCommandOptions, io: CliIo): Promise<void> {
  if (options.svg !== undefined) {
    const drawn = ranked.flatMap((outcome) => (outcome.kind === 'measured' ? [outcome] : [])).slice(0, mostDrawn);
    await writeResult(io, drawLatencies(name, drawn), options.svg);
  }
  if (options.json === true) writeJson(io, outcomesToJson(ranked));
  else io.stdout.write(summarizeOutcomes(name, ranked));
}
