import { planId } from '../demand/documents/canonical.js';
import type { PlanDocument, PlanGpu } from '../demand/documents/plan.js';
import type { OperatingPoint } from '../demand/operating-point.js';
import { createPointFinder } from '../demand/operating-points.js';
import { predictInstances } from '../demand/predict-instances.js';
import type { Pool, Service, Workload } from '../demand/workload.js';
import { boundCheapestCover } from './cheapest-cover.js';
import { findDearestLayout } from './dearest-layout.js';
import { findExceededLimit } from './shared-limits.js';

/** A slow and simple planner for the tests of this room: first fit, and prices proportional to compute slices. */

/** How to make a plan. */
export interface MakeOptions {
  readonly objective?: PlanDocument['objective'];
  /** Pool price per GPU of every pool with a limit. Default 0. */
  readonly poolPrice?: number;
  /** max-min only: the share of every rate to deliver. */
  readonly factor?: number;
}

interface Placed {
  readonly pool: Pool;
  readonly start: number;
  readonly service: Service;
  readonly point: OperatingPoint;
}

/** A valid plan of a workload with its certificate. */
export function makePlan(workload: Workload, { objective = 'gpus', poolPrice = 0, factor = 1 }: MakeOptions = {}): PlanDocument {
  const finder = createPointFinder(workload);
  const sizes = workload.pools.flatMap((pool) => pool.profiles.map((profile) => ({ pool, profile })));
  const slicePrices = workload.pools.map((pool) => priceSlices(pool, objective, poolPrice));
  const priceOf = sizes.map(({ pool, profile }) => slicePrices[workload.pools.indexOf(pool)]?.[profile.name] ?? 0);
  const gpus: { readonly pool: Pool; readonly placed: Placed[] }[] = [];
  const rateOf = (service: Service) => (objective === 'max-min' ? factor : 1) * service.rateRps;

  for (const service of workload.services) {
    const points = finder.pointsOf(service, rateOf(service));
    const ranked = sizes
      .map((size, index) => ({ ...size, price: priceOf[index] as number, point: points[index] }))
      .filter(({ point }) => point !== undefined)
      .sort((a, b) => a.price / (a.point?.plannedRps ?? 0) - b.price / (b.point?.plannedRps ?? 0));
    const best = ranked[0];
    if (best?.point === undefined) throw new Error(`no row for ${service.name}`);
    const count = service.rateRps === 0 ? 0 : Math.max(Math.ceil(rateOf(service) / best.point.plannedRps), service.minReplicas);
    for (let instance = 0; instance < count; instance++) placeFirst(gpus, best.pool, service, best.point);
  }
  const placed = gpus.flatMap((gpu) => gpu.placed);
  const covers = (share: number) =>
    workload.services
      .filter(({ rateRps }) => rateRps > 0)
      .reduce((sum, service) => {
        const points = finder.pointsOf(service, share * service.rateRps);
        const offered = sizes.map((_, index) => ({ price: priceOf[index] as number, rps: points[index]?.plannedRps ?? 0 }));
        return sum + boundCheapestCover(offered, { rateRps: share * service.rateRps, instances: service.minReplicas });
      }, 0);
  const limited = workload.pools.filter(({ count }) => count < Number.POSITIVE_INFINITY);
  const held = limited.reduce((sum, { count }) => sum + count * poolPrice, 0);
  const spread = Math.max(0, ...workload.services.map(({ rateRps, minReplicas }) => (rateRps > 0 ? minReplicas : 0)));
  const value =
    objective === 'max-min'
      ? smallestAbove(covers, held)
      : Math.max(0, covers(1) - held, spread * (objective === 'gpus' ? 1 : Math.min(...workload.pools.map(({ price }) => price))));

  const plan: PlanDocument = {
    apiVersion: 'inlay.dev/v1alpha1',
    kind: 'Plan',
    metadata: { name: workload.name, id: '' },
    objective,
    strategy: 'fixture',
    gpus: gpus.map((gpu, index) => describeGpu(gpu, `gpu-${index}`)),
    services: workload.services.map((service) => {
      const own = placed.filter((one) => one.service === service);
      return {
        name: service.name,
        rateRps: service.rateRps,
        capacityRps: own.reduce((sum, { point }) => sum + point.row.throughputRps, 0),
        plannedCapacityRps: own.reduce((sum, { point }) => sum + point.plannedRps, 0),
        instances: own.length,
        limitedBy: 'none',
        ...(objective === 'max-min' ? { factor } : {}),
      };
    }),
    totals: {
      gpus: gpus.length,
      cost: gpus.reduce((sum, { pool }) => sum + pool.price, 0),
      instances: placed.length,
      ...(objective === 'max-min' ? { factor } : {}),
    },
    bound: {
      value,
      certificate: {
        slicePrices: Object.fromEntries(workload.pools.map(({ name }, index) => [name, slicePrices[index] ?? {}])),
        poolPrices: Object.fromEntries(limited.map(({ name }) => [name, poolPrice])),
      },
    },
    gap: 0,
    optimal: false,
    stoppedBy: 'rounds',
  };
  for (const service of workload.services) loadInstances(plan, service, placed, rateOf(service));
  return sealPlan(concludePlan(plan));
}

/** Brings gap, gapGpus and optimal in line with the rest of a plan. */
export function concludePlan(plan: PlanDocument): PlanDocument {
  const { objective, bound, totals } = plan;
  if (objective === 'max-min') return { ...plan, gap: Math.max(0, 1 - (totals.factor ?? 0) / bound.value) };
  const achieved = objective === 'gpus' ? totals.gpus : totals.cost;
  const gap = achieved === 0 ? 0 : Math.max(0, (achieved - bound.value) / achieved);
  if (objective === 'cost') return { ...plan, gap, optimal: gap === 0 };
  const gpus = Math.max(0, Math.ceil(bound.value - 1e-6));
  const gapGpus = totals.gpus - gpus;
  return { ...plan, bound: { ...bound, gpus }, gap, gapGpus, optimal: gapGpus === 0 };
}

/** The plan with the id that its content has. */
export function sealPlan(plan: PlanDocument): PlanDocument {
  const { id: _, ...metadata } = plan.metadata;
  return { ...plan, metadata: { ...metadata, id: planId({ ...plan, metadata }) } };
}

function priceSlices(pool: Pool, objective: PlanDocument['objective'], poolPrice: number): Record<string, number> {
  const own = objective === 'max-min' ? 0 : objective === 'cost' ? pool.price : 1;
  const allowance = own + (pool.count < Number.POSITIVE_INFINITY ? poolPrice : 0);
  const bySlices = pool.profiles.map((profile) => ({ profile, price: profile.computeSlices }));
  const scale = allowance / findDearestLayout(pool.gpu, bySlices, pool);
  return Object.fromEntries(bySlices.map(({ profile, price }) => [profile.name, price * scale]));
}

/** Bisects for a factor at which the covers cost more than the pools hold. */
function smallestAbove(covers: (factor: number) => number, held: number): number {
  let low = 0;
  let high = 1;
  while (covers(high) <= held) high *= 2;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (covers(middle) > held) high = middle;
    else low = middle;
  }
  return high;
}

function placeFirst(gpus: { readonly pool: Pool; readonly placed: Placed[] }[], pool: Pool, service: Service, point: OperatingPoint): void {
  const profile = pool.profiles.find(({ name }) => name === point.row.profile);
  if (profile === undefined) throw new Error(`no profile ${point.row.profile}`);
  for (const gpu of [...gpus, { pool, placed: [] as Placed[] }]) {
    if (gpu.pool !== pool) continue;
    if (service.minReplicas > 1 && gpu.placed.some((one) => one.service === service)) continue;
    const others = gpu.placed.map((one) => ({ start: one.start, profile: profileOf(one) }));
    if (findExceededLimit(pool.gpu, [...others.map((other) => other.profile), profile], pool) !== undefined) continue;
    const start = profile.starts.find((from) =>
      others.every((other) => from + profile.memorySlices <= other.start || other.start + other.profile.memorySlices <= from),
    );
    if (start === undefined) continue;
    if (gpu.placed.length === 0) gpus.push(gpu);
    gpu.placed.push({ pool, start, service, point });
    return;
  }
}

function profileOf({ pool, point }: Placed) {
  const profile = pool.profiles.find(({ name }) => name === point.row.profile);
  if (profile === undefined) throw new Error(`no profile ${point.row.profile}`);
  return profile;
}

function describeGpu({ pool, placed }: { readonly pool: Pool; readonly placed: readonly Placed[] }, id: string): PlanGpu {
  const instances = placed.map(({ start, service, point: { row, plannedRps } }) => ({
    profile: row.profile,
    start,
    service: service.name,
    batch: row.batch,
    processes: row.processes,
    capacityRps: row.throughputRps,
    plannedCapacityRps: plannedRps,
    weight: 0,
    plannedLoad: 0,
    predictedP99Ms: 0,
  }));
  return { id, pool: pool.name, type: pool.gpu.name, instances };
}

function loadInstances(plan: PlanDocument, service: Service, placed: readonly Placed[], rateRps: number): void {
  const points = placed.filter((one) => one.service === service).map(({ point }) => point);
  const forecasts = predictInstances(service, rateRps, points);
  const instances = plan.gpus.flatMap((gpu) => gpu.instances).filter((instance) => instance.service === service.name);
  for (const [index, instance] of instances.entries()) {
    const { weight, plannedLoad, predictedMs } = forecasts[index] ?? { weight: 0, plannedLoad: 0, predictedMs: null };
    Object.assign(instance, { weight, plannedLoad, predictedP99Ms: predictedMs });
  }
}
