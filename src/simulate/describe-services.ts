import type { PlanDocument, PlanInstance } from '../demand/documents/plan.js';
import { unfoldPlan } from '../demand/documents/unfold-plan.js';
import { entryOf } from '../demand/entry-of.js';
import type { LatencyRule, Service, Workload } from '../demand/workload.js';
import { tabulateBatchTimes } from './batch-times.js';
import { createRowFinder, type RowFinder } from './find-rows.js';
import type { Arrivals, InstanceKind, Router, SimulatedService } from './simulated-service.js';

/** Percent that is judged where the plan was made under the factor rule, which names none. */
const usualPercentile = 99;

/** What is simulated differently from how the workload was planned. */
export interface SimulationSettings {
  /** Default: the arrivals that the service's latency rule speaks of. */
  readonly arrivals?: Arrivals;
  /** Default: the router of the service's latency rule. */
  readonly router?: Router;
}

/**
 * The services of a plan as they are simulated, in the order of the workload; those of rate 0 are left out.
 * A plan of `max-min` is played at the share of the rates that it promises. Throws PLAN_MISMATCH where
 * the plan has a setting that the workload's tables do not have.
 */
export function describeServices(workload: Workload, plan: PlanDocument, settings: SimulationSettings = {}): SimulatedService[] {
  const rowsOf = createRowFinder(workload);
  const instances = new Map<string, { readonly pool: string; readonly instance: PlanInstance }[]>();
  for (const { pool, instances: placed } of unfoldPlan(plan).gpus) {
    for (const instance of placed) entryOf(instances, instance.service, () => []).push({ pool, instance });
  }
  const factorOf = new Map(plan.services.map(({ name, factor }) => [name, factor]));
  return workload.services
    .filter(({ rateRps }) => rateRps > 0)
    .map((service) => {
      const kinds = groupInstances(service, instances.get(service.name) ?? [], rowsOf);
      const { latency } = service;
      return {
        name: service.name,
        rateRps: (service.traffic?.meanRps ?? service.rateRps) * (factorOf.get(service.name) ?? 1),
        limitMs: service.latencyMs,
        percentile: latency.kind === 'percentile' ? latency.percentile : usualPercentile,
        arrivals: settings.arrivals ?? arrivalsOf(service),
        router: settings.router ?? routerOf(latency),
        kinds,
      };
    });
}

/** The arrivals that a service was planned for: its trace, or gaps as scattered as its latency rule says. */
export function arrivalsOf({ latency, traffic }: Service): Arrivals {
  const burstiness = latency.kind === 'percentile' ? latency.burstiness : 1;
  if (traffic === undefined) return { kind: 'renewal', burstiness };
  return { kind: 'rates', stepS: traffic.windowS, rates: Float64Array.from(traffic.rates), burstiness };
}

function routerOf(latency: LatencyRule): Router {
  return latency.kind === 'percentile' ? latency.router : 'round-robin';
}

function groupInstances(
  service: Service,
  placed: readonly { readonly pool: string; readonly instance: PlanInstance }[],
  rowsOf: RowFinder,
): readonly InstanceKind[] {
  const groups = new Map<string, InstanceKind>();
  for (const { pool, instance } of placed) {
    const { profile, batch, processes, capacityRps, weight } = instance;
    const key = [pool, profile, batch, processes, weight].join('\n');
    const known = groups.get(key);
    const group = known ?? {
      count: 0,
      processes,
      maxBatch: batch,
      capacityRps,
      weight,
      batchMs: tabulateBatchTimes(rowsOf(service, pool, instance), batch),
    };
    groups.set(key, { ...group, count: group.count + 1 });
  }
  return [...groups.values()].sort((a, b) => b.capacityRps - a.capacityRps);
}
