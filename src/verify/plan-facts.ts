import type { PlanDocument, PlanGpu, PlanInstance, PlanService } from '../demand/documents/plan.js';
import type { StateDocument } from '../demand/documents/state.js';
import type { Pool, Service, Workload } from '../demand/workload.js';
import type { MigProfile } from '../gpu/gpu-model.js';
import { groupBy } from './group-by.js';
import { indexRows, type MeasuredRow, type RowIndex } from './row-index.js';

/** An instance of the plan with what it refers to; what does not exist is undefined. */
export interface PlacedInstance {
  readonly gpu: PlanGpu;
  /** GPUs that the entry stands for, each with such an instance. */
  readonly count: number;
  readonly instance: PlanInstance;
  readonly pool: Pool | undefined;
  /** The profile of that name on the pool's GPU model, allowed or not. */
  readonly profile: MigProfile | undefined;
  readonly service: Service | undefined;
  /** The measured row that the instance names. */
  readonly measured: MeasuredRow | undefined;
}

/** A service with everything the plan gives it. */
export interface ServiceFacts {
  readonly service: Service;
  /** The row of the plan's `services`; undefined when missing. */
  readonly summary: PlanService | undefined;
  readonly placed: readonly PlacedInstance[];
  /** What the plan promises to deliver, requests per second: the rate, times the service's factor under `max-min`. */
  readonly promisedRps: number;
}

/** A plan beside its workload, looked up once for all checks. */
export interface PlanFacts {
  readonly workload: Workload;
  readonly plan: PlanDocument;
  readonly current: StateDocument | undefined;
  readonly pools: ReadonlyMap<string, Pool>;
  readonly rows: RowIndex;
  /** In plan order. */
  readonly placed: readonly PlacedInstance[];
  /** In workload order. */
  readonly services: readonly ServiceFacts[];
}

/** Looks up everything a plan names. Never fails: what is missing stays undefined and is for the checks to tell. */
export function gatherFacts(workload: Workload, plan: PlanDocument, current?: StateDocument): PlanFacts {
  const pools = new Map(workload.pools.map((pool) => [pool.name, pool]));
  const services = new Map(workload.services.map((service) => [service.name, service]));
  const summaries = new Map(plan.services.map((summary) => [summary.name, summary]));
  const rows = indexRows(workload.rows);
  const placed = plan.gpus.flatMap((gpu) => {
    const pool = pools.get(gpu.pool);
    return gpu.instances.map((instance): PlacedInstance => {
      const profile = pool && findModelProfile(pool, instance.profile);
      const service = services.get(instance.service);
      const measured = pool && service && rows.find(service.model, pool.rowsOf, instance);
      return { gpu, count: gpu.count ?? 1, instance, pool, profile, service, measured };
    });
  });
  const placedOf = groupBy(placed, ({ instance }) => instance.service);
  return {
    workload,
    plan,
    current,
    pools,
    rows,
    placed,
    services: workload.services.map((service) => {
      const summary = summaries.get(service.name);
      const factor = plan.objective === 'max-min' ? (summary?.factor ?? 0) : 1;
      return { service, summary, placed: placedOf.get(service.name) ?? [], promisedRps: factor * service.rateRps };
    }),
  };
}

/** Sums an amount over instances, every GPU that an entry stands for counted. */
export function sumOver(placed: readonly PlacedInstance[], amountOf: (instance: PlanInstance) => number): number {
  return placed.reduce((sum, { instance, count }) => sum + count * amountOf(instance), 0);
}

/** The profile of that exact name on the pool's GPU model, `full` included. */
export function findModelProfile(pool: Pool, name: string): MigProfile | undefined {
  return [pool.gpu.full, ...pool.gpu.profiles].find((profile) => profile.name === name);
}

/** Where an instance sits, as text: `a100-0001 1g.10gb@4`. */
export function placeOf(gpu: { readonly id: string }, { profile, start }: { readonly profile: string; readonly start: number }): string {
  return `${gpu.id} ${profile}@${start}`;
}
