import type { StateInstance } from '../demand/documents/state.js';
import type { PlanFacts } from './plan-facts.js';
import type { Violation } from './verify-report.js';

/**
 * What a plan says it changes adds up: gaps are what is achieved less the limit, and with the state at hand the pods and instances
 * that are not there yet are as many as stated. The limits themselves carry no certificate.
 */
export function checkChange({ plan, current, services }: PlanFacts): readonly Violation[] {
  const { change } = plan;
  if (change === undefined) return [];
  const sums = Object.entries(change).flatMap(([name, { achieved, limit, gap }]): readonly Violation[] => {
    const where = `change.${name}`;
    if (limit <= achieved && achieved - limit === gap) return [];
    return [{ where, message: `${where}: the gap is not achieved − limit.`, expected: String(achieved - limit), received: String(gap) }];
  });
  if (current === undefined) return sums;
  const models = new Map(services.map(({ service: { name, model } }) => [name, model]));
  const stays = new Set(current.services.flatMap(({ name, model }) => (models.get(name) === model ? [name] : [])));
  const there = new Set<string>();
  for (const { id, instances } of current.gpus) {
    for (const instance of instances) {
      if (instance.reserved === true) continue;
      there.add(placeKey(id, instance));
      if (instance.service !== null && stays.has(instance.service)) there.add(podKey(id, instance));
    }
  }
  const placed = plan.gpus.flatMap(({ id, instances }) => instances.map((instance) => ({ id, instance })));
  const actual = {
    podStarts: placed.filter(({ id, instance }) => !there.has(podKey(id, instance))).length,
    instanceCreations: placed.filter(({ id, instance }) => !there.has(placeKey(id, instance))).length,
  };
  const wrong = Object.entries(actual).flatMap(([name, expected]): readonly Violation[] => {
    const { achieved } = change[name as keyof typeof actual];
    const where = `change.${name}`;
    const message = `${where}: is not what the plan changes of the state.`;
    return achieved === expected ? [] : [{ where, message, expected: String(expected), received: String(achieved) }];
  });
  return [...sums, ...wrong];
}

function placeKey(gpu: string, { profile, start }: Pick<StateInstance, 'profile' | 'start'>): string {
  return JSON.stringify([gpu, profile, start]);
}

function podKey(gpu: string, { profile, start, service, batch = 1, processes = 1 }: StateInstance): string {
  return JSON.stringify([gpu, profile, start, service, batch, processes]);
}
