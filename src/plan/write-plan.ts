import { planId } from '../demand/documents/canonical.js';
import type { Certificate, PlanDocument, PlanGpu, PlanService } from '../demand/documents/plan.js';
import type { OperatingPoint } from '../demand/operating-point.js';
import type { PointFinder } from '../demand/operating-points.js';
import { type InstanceForecast, predictInstances } from '../demand/predict-instances.js';
import { findServiceLimit } from '../demand/service-limit.js';
import type { Workload } from '../demand/workload.js';
import type { BuiltProblem, Objective } from './build-problem.js';
import type { DealtGpu, Slot } from './deal-instances.js';
import type { Cut } from './list-cuts.js';
import type { SlicePrices } from './packing-problem.js';

/** Everything a plan document is written from. */
export interface PlanFacts {
  readonly workload: Workload;
  readonly finder: PointFinder;
  readonly built: BuiltProblem;
  readonly cuts: readonly Cut[];
  readonly gpus: readonly DealtGpu[];
  /** Ids of GPUs that others hold as a whole: no GPU of the plan may be called so. */
  readonly takenIds: ReadonlySet<string>;
  readonly objective: Objective;
  readonly strategy: string;
  readonly prices: SlicePrices;
  /** Proven limit in the objective's own unit. */
  readonly bound: number;
  /** Share of its rate that each service is planned for; all 1 except under `max-min`. */
  readonly factors: readonly number[];
  /** Common factor of the class that is cut (`max-min`). */
  readonly factor?: number;
  readonly optimal: boolean;
  readonly stoppedBy: PlanDocument['stoppedBy'];
}

/** Writes the plan down: names the GPUs, forecasts every instance, adds up, and hashes the content into the id. */
export function writePlan(facts: PlanFacts): PlanDocument {
  const { workload, objective, bound } = facts;
  const pointsOf = collectPoints(facts);
  const forecasts = pointsOf.map((points, i) => forecastService(facts, i, points));
  const gpus = writeGpus(facts, forecasts);
  const cost = gpus.reduce((sum, gpu) => sum + (workload.pools.find(({ name }) => name === gpu.pool)?.price ?? 0), 0);
  const boundGpus = objective === 'gpus' ? Math.max(0, Math.ceil(bound - 1e-6)) : undefined;
  const achieved = objective === 'cost' ? cost : gpus.length;
  const gap = facts.factor === undefined ? relativeGap(achieved, achieved - bound) : relativeGap(bound, bound - facts.factor);
  const content: PlanDocument = {
    apiVersion: 'inlay.dev/v1alpha1',
    kind: 'Plan',
    metadata: { name: workload.name, id: '' },
    objective,
    strategy: facts.strategy,
    gpus,
    services: workload.services.map((_, i) => writeService(facts, i, pointsOf[i] as readonly OperatingPoint[])),
    totals: {
      gpus: gpus.length,
      cost: roundOff(cost),
      instances: gpus.reduce((sum, gpu) => sum + gpu.instances.length, 0),
      ...(facts.factor === undefined ? {} : { factor: facts.factor }),
    },
    bound: { value: bound, ...(boundGpus === undefined ? {} : { gpus: boundGpus }), certificate: writeCertificate(facts) },
    gap,
    ...(boundGpus === undefined ? {} : { gapGpus: gpus.length - boundGpus }),
    optimal: facts.optimal,
    stoppedBy: facts.stoppedBy,
  };
  return { ...content, metadata: { name: workload.name, id: planId(content) } };
}

function relativeGap(whole: number, missing: number): number {
  return whole === 0 ? 0 : Math.max(0, missing / whole);
}

/** Sums of prices such as 0.1 + 0.2 are shown as people add them. */
function roundOff(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}

/** The operating point of every instance, by service, in the order of the GPUs. */
function collectPoints({ workload, built, gpus }: PlanFacts): OperatingPoint[][] {
  const points: OperatingPoint[][] = workload.services.map(() => []);
  for (const { slots } of gpus) {
    for (const slot of slots) if (slot.service >= 0) points[slot.service]?.push(pointOf(built, slot));
  }
  return points;
}

function pointOf(built: BuiltProblem, { service, size, point }: Slot): OperatingPoint {
  return point ?? (built.points[service]?.[size] as OperatingPoint);
}

function forecastService({ workload, factors }: PlanFacts, i: number, points: readonly OperatingPoint[]): InstanceForecast[] {
  const service = workload.services[i] as Workload['services'][number];
  return points.length === 0 ? [] : predictInstances(service, service.rateRps * (factors[i] as number), points);
}

function writeGpus({ workload, built, cuts, gpus, takenIds }: PlanFacts, forecasts: readonly (readonly InstanceForecast[])[]): PlanGpu[] {
  const name = createNamer(workload, cuts, gpus, takenIds);
  const next = new Int32Array(workload.services.length);
  const writeInstance = (slot: Slot): PlanGpu['instances'][number] => {
    const { placed, service: i } = slot;
    const point = pointOf(built, slot);
    const forecast = forecasts[i]?.[next[i] as number] as InstanceForecast;
    (next[i] as number)++;
    return {
      profile: placed.profile.name,
      start: placed.start,
      service: (workload.services[i] as Workload['services'][number]).name,
      batch: point.row.batch,
      processes: point.row.processes,
      capacityRps: point.row.throughputRps,
      plannedCapacityRps: point.plannedRps,
      weight: forecast.weight,
      plannedLoad: forecast.plannedLoad,
      predictedP99Ms: forecast.predictedMs,
    };
  };
  return gpus.map(({ cut, slots, id = name(cut) }) => {
    const { pool: g, occupied } = cuts[cut] as Cut;
    const pool = workload.pools[g] as Workload['pools'][number];
    return {
      id,
      pool: pool.name,
      type: pool.gpu.name,
      ...(occupied.length === 0 ? {} : { occupied: occupied.map(({ profile, start }) => ({ profile: profile.name, start })) }),
      instances: slots.filter(({ service }) => service >= 0).map(writeInstance),
    };
  });
}

/** Empty GPUs are numbered within their pool; GPUs that others use in part keep their own ids, which numbers never repeat. */
function createNamer(
  workload: Workload,
  cuts: readonly Cut[],
  gpus: readonly DealtGpu[],
  taken: ReadonlySet<string>,
): (cut: number) => string {
  const known = new Set([...cuts.flatMap(({ ids }) => ids), ...taken]);
  const digits = Math.max(4, String(gpus.length + known.size).length);
  const next = workload.pools.map(() => 1);
  const nextKnown = cuts.map(() => 0);
  return (cut) => {
    const { pool, ids } = cuts[cut] as Cut;
    const id = ids[nextKnown[cut] as number];
    if (id !== undefined) {
      (nextKnown[cut] as number)++;
      return id;
    }
    for (;;) {
      const number = String(next[pool]).padStart(digits, '0');
      (next[pool] as number)++;
      const fresh = `${(workload.pools[pool] as Workload['pools'][number]).name}-${number}`;
      if (!known.has(fresh)) return fresh;
    }
  };
}

function writeService(
  { workload, finder, built, factors, objective, factor }: PlanFacts,
  i: number,
  points: readonly OperatingPoint[],
): PlanService {
  const service = workload.services[i] as Workload['services'][number];
  const counts = finder.index.sizes.map((_, size) => {
    const point = built.points[i]?.[size];
    return point === undefined ? 0 : points.filter((other) => other === point).length;
  });
  return {
    name: service.name,
    rateRps: service.rateRps,
    capacityRps: points.reduce((sum, { row }) => sum + row.throughputRps, 0),
    plannedCapacityRps: points.reduce((sum, { plannedRps }) => sum + plannedRps, 0),
    instances: points.length,
    limitedBy: points.length === 0 ? 'none' : findServiceLimit(workload, finder, service, service.rateRps * (factors[i] as number), counts),
    ...(objective === 'max-min' && factor !== undefined ? { factor: factors[i] as number } : {}),
  };
}

function writeCertificate({ workload, finder, built, prices }: PlanFacts): Certificate {
  const slicePrices: Certificate['slicePrices'] = {};
  const poolPrices: Certificate['poolPrices'] = {};
  for (const pool of workload.pools) slicePrices[pool.name] = {};
  for (const [k, size] of finder.index.sizes.entries()) {
    const pool = workload.pools[size.pool] as Workload['pools'][number];
    const profile = pool.profiles[size.profile] as Workload['pools'][number]['profiles'][number];
    (slicePrices[pool.name] as Record<string, number>)[profile.name] = prices.size[k] as number;
  }
  for (const [g, pool] of workload.pools.entries()) {
    if ((built.problem.pools[g] as BuiltProblem['problem']['pools'][number]).limit !== Infinity)
      poolPrices[pool.name] = prices.pool[g] as number;
  }
  return { slicePrices, poolPrices };
}
