import { InlayError, problem } from '../errors.js';
import type { GpuCatalogue } from '../gpu/gpu-model.js';
import { apiVersion } from './documents/common.js';
import type { WorkloadDocument } from './documents/workload.js';
import { entryOf } from './entry-of.js';
import { createFleetEstimate } from './estimate-fleet.js';
import { batchesUntilAnswer, latencySpare } from './latency/predict-percentile.js';
import { rowServiceMs } from './latency/row-service-ms.js';
import { createPointFinder } from './operating-points.js';
import type { RawPerformanceRow } from './raw-performance-row.js';
import { offerProfiles, resolvePoolRules } from './resolve-pools.js';
import { resolveRowGpus } from './resolve-row-gpus.js';
import { resolveRows } from './resolve-rows.js';
import { resolveLatencyRule, resolveServices } from './resolve-services.js';
import { createSeededRandom, type SeededRandom } from './seeded-random.js';
import type { LatencyRule, PerformanceRow, Pool } from './workload.js';

/** How the load is spread over the services. */
export type LoadDistribution = 'normal' | 'lognormal' | 'heavy';

/** What a generated workload is to look like. */
export interface WorkloadRecipe {
  readonly name: string;
  /** 1 to 20 000. */
  readonly services: number;
  /** GPUs that the fleet is to need, > 0. */
  readonly targetGpus: number;
  readonly distribution: LoadDistribution;
  /** Any whole number. */
  readonly seed: number;
  /** What `spec.performance` is to say. */
  readonly performance: readonly string[];
  readonly pool: WorkloadDocument['spec']['pools'][number];
  /** Default: the 99th percentile. */
  readonly latency?: NonNullable<WorkloadDocument['spec']['latency']>;
  /** Most processes per instance; not limited when absent. */
  readonly maxProcesses?: number;
}

type ServiceDocument = WorkloadDocument['spec']['services'][number];

/** One decimal is kept of rates and limits, so this is the lowest rate. */
const leastRateRps = 0.1;
/** A limit is a drawn row's latency times a factor between these, uniformly: some limits leave one row, others most. */
const slack = { least: 1.05, most: 3 } as const;
/** Standard deviation of the logarithm of a service's own noise at night. */
const nightNoise = 0.2;

/**
 * Makes up a workload from measured rows: models drawn from those the pool can run, latency limits that at least one row of
 * each meets, and loads (shares of the fleet) from the distribution, scaled so that the fleet needs about `targetGpus`.
 * Equal input gives an equal workload, byte for byte. Throws InlayError when the rows do not fit the pool.
 *
 * The scale comes from `FleetEstimate`: on measured A100 rows the fewest GPUs came out at the target to 10 % below it, with
 * little spread over seeds. A target of less than a slice a service is missed.
 */
export function generateWorkload(recipe: WorkloadRecipe, rows: readonly RawPerformanceRow[], catalogue: GpuCatalogue): WorkloadDocument {
  const { pool, runnable } = findRunnableRows(recipe, rows, catalogue);
  const latency = recipe.latency ?? { percentile: 99 };
  const rule = resolveLatencyRule(latency);
  const random = createSeededRandom(recipe.seed);
  const digits = Math.max(2, String(recipe.services).length);
  const drawn = Array.from({ length: recipe.services }, (_, i): ServiceDocument => {
    const choices = runnable[random.below(runnable.length)] as readonly PerformanceRow[];
    const row = choices[random.below(choices.length)] as PerformanceRow;
    const limitMs = limitOf(rule, row) * (slack.least + (slack.most - slack.least) * random.uniform());
    return {
      name: `s${String(i + 1).padStart(digits, '0')}`,
      model: row.model,
      rateRps: drawLoad(recipe.distribution, random),
      latencyMs: Math.ceil(limitMs * 10) / 10,
    };
  });

  const maxProcesses = recipe.maxProcesses ?? Number.POSITIVE_INFINITY;
  const context = { latency, pools: [pool], models: new Set(drawn.map(({ model }) => model)), measuredOn: () => [] };
  const { services } = resolveServices(drawn, context);
  const workload = { name: recipe.name, services, pools: [pool], rows: runnable.flat(), maxProcesses };
  const estimate = createFleetEstimate(workload, createPointFinder(workload));
  const rates = services.map((service) => service.rateRps * estimate.rpsPerGpu(service));
  const scale = estimate.scaleTo(rates, recipe.targetGpus);
  return {
    apiVersion,
    kind: 'Workload',
    metadata: { name: recipe.name },
    spec: {
      performance: [...recipe.performance],
      latency,
      ...(recipe.maxProcesses === undefined ? {} : { processes: { max: recipe.maxProcesses } }),
      pools: [recipe.pool],
      services: drawn.map((service, i) => ({ ...service, rateRps: roundRate(scale * (rates[i] as number)) })),
    },
  };
}

/**
 * The same services at night: every rate times `factor` (0 to 1) and a noise of its own (about 20 %), never above the day's.
 * Equal input gives an equal night.
 */
export function generateNight(day: WorkloadDocument, factor: number, seed: number): WorkloadDocument {
  // Not the day's stream: the noise would follow the choice of models.
  const random = createSeededRandom(seed + 2 ** 40);
  const services = day.spec.services.map((service) => {
    const rateRps = roundRate(service.rateRps * factor * Math.exp(nightNoise * random.normal()));
    return { ...service, rateRps: Math.min(rateRps, service.rateRps) };
  });
  return { ...day, metadata: { ...day.metadata, name: `${day.metadata.name}-night` }, spec: { ...day.spec, services } };
}

/** The rows that the pool can run within the limits on processes and memory, by model in the order of the table. */
function findRunnableRows(
  recipe: WorkloadRecipe,
  rows: readonly RawPerformanceRow[],
  catalogue: GpuCatalogue,
): { readonly pool: Pool; readonly runnable: readonly (readonly PerformanceRow[])[] } {
  const { rules, problems } = resolvePoolRules([recipe.pool], catalogue);
  const gpus = resolveRowGpus(
    rows,
    rules.map(({ gpu }) => gpu),
    catalogue,
  );
  const resolved = resolveRows(rows, gpus.wanted);
  const offered = offerProfiles(rules, resolved.rows, gpus);
  const allProblems = [...problems, ...gpus.problems, ...resolved.problems, ...offered.problems];
  const [pool] = offered.pools;
  if (pool === undefined || allProblems.length > 0) throw new InlayError(allProblems);

  const memoryGiB = new Map(pool.profiles.map((profile) => [profile.name, profile.memoryMiB.value / 1024]));
  const runnable = resolved.rows.filter(
    (row) =>
      row.gpu === pool.rowsOf &&
      row.processes <= (recipe.maxProcesses ?? Number.POSITIVE_INFINITY) &&
      row.processes * (row.memoryGiB ?? 0) <= (memoryGiB.get(row.profile) ?? -1),
  );
  if (runnable.length === 0) throw new InlayError([nothingRuns(recipe)]);
  const byModel = new Map<string, PerformanceRow[]>();
  for (const row of runnable) entryOf(byModel, row.model, () => []).push(row);
  return { pool, runnable: [...byModel.values()] };
}

function nothingRuns({ pool, maxProcesses }: WorkloadRecipe) {
  return problem('NO_ROWS', {
    message: `No row of the table can run in the pool ${pool.name}.`,
    expected: `a row of ${pool.gpu}${maxProcesses === undefined ? '' : ` with at most ${maxProcesses} processes`} that fits into the memory of its profile`,
  });
}

/** The limit that a row just meets, at a load of next to nothing, ms. */
function limitOf(rule: LatencyRule, row: PerformanceRow): number {
  if (rule.kind === 'factor') return row.latencyMs / rule.factor;
  return latencySpare * batchesUntilAnswer(rule, row.processes) * rowServiceMs(row);
}

/** A load with median (lognormal), mean (normal) or least (heavy) 1. */
function drawLoad(distribution: LoadDistribution, random: SeededRandom): number {
  switch (distribution) {
    case 'normal':
      return Math.max(0.1, 1 + 0.4 * random.normal());
    case 'lognormal':
      return Math.exp(random.normal());
    case 'heavy':
      // Pareto of shape 1.2: the mean is finite, the variance is not.
      return Math.exp(-Math.log(1 - random.uniform()) / 1.2);
  }
}

function roundRate(rateRps: number): number {
  return Math.max(leastRateRps, Math.round(rateRps * 10) / 10);
}
