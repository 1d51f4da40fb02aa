import { apiVersion } from '../../demand/documents/common.js';
import type { PlanDocument, PlanInstance } from '../../demand/documents/plan.js';
import type { StateInstance } from '../../demand/documents/state.js';
import type { TransitionDocument } from '../../demand/documents/transition.js';
import { checkOperatingPoints } from '../check-operating-points.js';
import { checkReplicas } from '../check-replicas.js';
import { gatherFacts, type PlacedInstance, placeOf, type ServiceFacts } from '../plan-facts.js';
import { createPlannedLimit } from '../planned-load.js';
import type { MeasuredRow } from '../row-index.js';
import { atMost, show } from '../tolerance.js';
import type { Violation } from '../verify-report.js';
import { podOf, type TransitionFacts } from './transition-facts.js';

/** The target is for the services of the workload and gives each of them what it needs, by rows and profiles it may use. */
export function checkDemand(facts: TransitionFacts): readonly Violation[] {
  const others = checkServiceList(facts);
  if (others.length > 0) return others;
  const plan = gatherFacts(facts.workload, toPlan(facts.workload.name, facts.transition.target));
  return [...checkOperatingPoints(plan), ...plan.placed.flatMap(checkOffered), ...checkCapacities(plan.services), ...checkReplicas(plan)];
}

function checkOffered({ gpu, instance, pool, profile }: PlacedInstance): readonly Violation[] {
  if (pool === undefined || profile === undefined || pool.profiles.includes(profile)) return [];
  const where = placeOf(gpu, instance);
  const expected = pool.profiles.map(({ name }) => name).join(', ');
  return [{ where, message: `${where}: pool ${pool.name} does not offer this profile.`, expected, received: profile.name }];
}

function checkCapacities(services: readonly ServiceFacts[]): readonly Violation[] {
  const plannedLimit = createPlannedLimit();
  return services.flatMap(({ service, placed }): readonly Violation[] => {
    const where = service.name;
    if (service.rateRps === 0) {
      if (placed.length === 0) return [];
      return [
        { where, message: `${where}: it needs nothing and must be given nothing.`, expected: '0 pods', received: String(placed.length) },
      ];
    }
    const limitOf = new Map<MeasuredRow, number>();
    for (const { measured } of placed) {
      if (measured !== undefined && !limitOf.has(measured)) limitOf.set(measured, plannedLimit(service, service.rateRps, measured, 0));
    }
    const plannedRps = placed.reduce((sum, { measured }) => sum + ((measured && limitOf.get(measured)) ?? 0), 0);
    if (atMost(service.rateRps, plannedRps)) return [];
    const message = `${where}: the pods of the target cannot carry its rate.`;
    return [{ where, message, expected: `at least ${show(service.rateRps)} rps`, received: `${show(plannedRps)} rps` }];
  });
}

function checkServiceList({ transition, workload }: TransitionFacts): readonly Violation[] {
  const stated = new Map(transition.target.services.map((service) => [service.name, service]));
  const violations = workload.services.flatMap(({ name, model, rateRps, latencyMs }): readonly Violation[] => {
    const target = stated.get(name);
    stated.delete(name);
    const expected = describe({ model, rateRps, latencyMs });
    const received = target === undefined ? 'not listed' : describe(target);
    return expected === received ? [] : [{ where: name, message: `${name}: the target is for another workload.`, expected, received }];
  });
  const strangers = [...stated.keys()].map((name) => {
    const message = `${name}: the target is for another workload.`;
    return { where: name, message, expected: 'a service of the workload', received: name };
  });
  return [...violations, ...strangers];
}

function describe({ model, rateRps, latencyMs }: { readonly model: string; readonly rateRps: number; readonly latencyMs: number }): string {
  return `${model}, ${rateRps} rps, ${latencyMs} ms`;
}

/** The pods of a target in the form in which the checks of plans read them. */
function toPlan(name: string, { gpus }: TransitionDocument['target']): PlanDocument {
  return {
    apiVersion,
    kind: 'Plan',
    metadata: { name, id: '' },
    objective: 'gpus',
    strategy: 'transition',
    gpus: gpus.map(({ id, pool, type, instances }) => ({ id, pool, type, instances: instances.flatMap(toPlanInstance) })),
    services: [],
    totals: { gpus: 0, cost: 0, instances: 0 },
    bound: { value: 0, certificate: { slicePrices: {}, poolPrices: {} } },
    gap: 0,
    optimal: false,
    stoppedBy: 'rounds',
  };
}

function toPlanInstance(instance: StateInstance): readonly PlanInstance[] {
  const pod = instance.reserved === true ? undefined : podOf(instance);
  if (pod === undefined) return [];
  const { profile, start, capacityRps = 0 } = instance;
  return [{ profile, start, ...pod, capacityRps, plannedCapacityRps: 0, weight: 0, plannedLoad: 0, predictedP99Ms: null }];
}
