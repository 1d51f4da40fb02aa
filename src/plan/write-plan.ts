import { planId } from '../demand/documents/canonical.js';
import type { Certificate, PlanDocument, PlanGpu, PlanService } from '../demand/documents/plan.js';
import { countGpus } from '../demand/documents/unfold-plan.js';
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
  const uses = collectUses(facts);
  const forecasts = uses.map((use, i) => forecastService(facts, i, use));
  const gpus = writeGpus(facts, forecasts);
  const gpuCount = countGpus(gpus);
  const cost = gpus.reduce((sum, { pool, count = 1 }) => sum + count * (workload.pools.find(({ name }) => name === pool)?.price ?? 0), 0);
  const boundGpus = objective === 'gpus' ? Math.max(0, Math.ceil(bound - 1e-6)) : undefined;
  const achieved = objective === 'cost' ? cost : gpuCount;
  const gap = facts.factor === undefined ? relativeGap(achieved, achieved - bound) : relativeGap(bound, bound - facts.factor);
  const content: PlanDocument = {
    apiVersion: 'inlay.dev/v1alpha1',
    kind: 'Plan',
    metadata: { name: workload.name, id: '' },
    objective,
    strategy: facts.strategy,
    gpus,
    services: workload.services.map((_, i) => writeService(facts, i, uses[i] as Uses)),
    totals: {
      gpus: gpuCount,
      cost: roundOff(cost),
      instances: gpus.reduce((sum, { instances, count = 1 }) => sum + count * instances.length, 0),
      ...(facts.factor === undefined ? {} : { factor: facts.factor }),
    },
    bound: { value: bound, ...(boundGpus === undefined ? {} : { gpus: boundGpus }), certificate: writeCertificate(facts) },
    gap,
    ...(boundGpus === undefined ? {} : { gapGpus: gpuCount - boundGpus }),
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

/** Operating points of a service, in the order of the GPUs, and how many instances each stands for. */
interface Uses {
  readonly points: OperatingPoint[];
  readonly counts: number[];
}

function collectUses({ workload, built, gpus }: PlanFacts): readonly Uses[] {
  const uses = workload.services.map((): Uses => ({ points: [], counts: [] }));
  for (const { slots, count = 1 } of gpus) {
    for (const slot of slots) {
      if (slot.service < 0) continue;
      uses[slot.service]?.points.push(pointOf(built, slot));
      uses[slot.service]?.counts.push(count);
    }
  }
  return uses;
}

function pointOf(built: BuiltProblem, { service, size, point }: Slot): OperatingPoint {
  return point ?? (built.points[service]?.[size] as OperatingPoint);
}

function forecastService({ workload, factors }: PlanFacts, i: number, { points, counts }: Uses): InstanceForecast[] {
  const service = workload.services[i] as Workload['services'][number];
  return points.length === 0 ? [] : predictInstances(service, service.rateRps * (factors[i] as number), points, counts);
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
  return gpus.map(({ cut, slots, count = 1, id = name(cut, count) }) => {
    const { pool: g, occupied } = cuts[cut] as Cut;
    const pool = workload.pools[g] as Workload['pools'][number];
    return {
      id,
      pool: pool.name,
      type: pool.gpu.name,
      ...(occupied.length === 0 ? {} : { occupied: occupied.map(({ profile, start }) => ({ profile: profile.name, start })) }),
      instances: slots.filter(({ service }) => service >= 0).map(writeInstance),
      ...(count > 1 && { count }),
    };
  });
}

/** Empty GPUs are numbered within their pool; GPUs that others use in part keep their own ids, which numbers never repeat. */
function createNamer(
  workload: Workload,
  cuts: readonly Cut[],
  gpus: readonly DealtGpu[],
  taken: ReadonlySet<string>,
): (cut: number, count: number) => string {
  const known = new Set([...cuts.flatMap(({ ids }) => ids), ...taken]);
  const digits = Math.max(4, String(countGpus(gpus) + known.size).length);
  const next = workload.pools.map(() => 1);
  const nextKnown = cuts.map(() => 0);
  return (cut, count) => {
    const { pool, ids } = cuts[cut] as Cut;
    const id = ids[nextKnown[cut] as number];
    if (id !== undefined) {
      (nextKnown[cut] as number)++;
      return id;
    }
    for (;;) {
      const first = next[pool] as number;
      const { name } = workload.pools[pool] as Workload['pools'][number];
      const nameAt = (number: number): string => `${name}-${String(number).padStart(digits, '0')}`;
      const clash = known.size === 0 ? -1 : lastKnown(first, count, (number) => known.has(nameAt(number)));
      next[pool] = clash < 0 ? first + count : clash + 1;
      if (clash < 0) return nameAt(first);
    }
  };
}

/** The last number from `first` on, of `count`, that is taken; −1 when none is. */
function lastKnown(first: number, count: number, isKnown: (number: number) => boolean): number {
  for (let number = first + count - 1; number >= first; number--) if (isKnown(number)) return number;
  return -1;
}

function writeService(
  { workload, finder, built, factors, objective, factor }: PlanFacts,
  i: number,
  { points, counts }: Uses,
): PlanService {
  const service = workload.services[i] as Workload['services'][number];
  const total = (amountOf: (point: OperatingPoint) => number): number =>
    points.reduce((sum, point, n) => sum + (counts[n] as number) * amountOf(point), 0);
  const usesOfSize = finder.index.sizes.map((_, size) => {
    const used = built.points[i]?.[size];
    return used === undefined ? 0 : total((point) => (point === used ? 1 : 0));
  });
  return {
    name: service.name,
    rateRps: service.rateRps,
    capacityRps: total(({ row }) => row.throughputRps),
    plannedCapacityRps: total(({ plannedRps }) => plannedRps),
    instances: total(() => 1),
    limitedBy:
      points.length === 0 ? 'none' : findServiceLimit(workload, finder, service, service.rateRps * (factors[i] as number), usesOfSize),
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
