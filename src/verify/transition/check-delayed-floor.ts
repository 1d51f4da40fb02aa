import { show } from '../tolerance.js';
import type { Violation } from '../verify-report.js';
import { fillContents, sumCapacities } from './contents.js';
import { isAtLeast } from './replay.js';
import { findKnownProfile, type TransitionFacts } from './transition-facts.js';
import { findWorstSum } from './worst-sum.js';

/** In every state that the dependencies allow, however long steps take, every service has its floor. */
export function checkDelayedFloor(facts: TransitionFacts): readonly Violation[] {
  const { graph, floors } = facts;
  if (graph.ranks === undefined)
    return [{ where: 'steps', message: 'There is no order: steps wait in a circle.', expected: 'an order', received: 'a circle' }];
  const before = sumCapacities(fillContents(facts));
  const lossesOf = listLosses(facts);
  return [...floors].flatMap(([service, rate]): readonly Violation[] => {
    const capacity = before.get(service) ?? 0;
    const floor = Math.min(rate, capacity);
    const losses = lossesOf.get(service) ?? new Map<number, number>();
    if (floor === 0 || ![...losses.values()].some((loss) => loss > 0)) return [];
    const { sum, steps } = findWorstSum(graph, losses);
    if (isAtLeast(capacity - sum, floor)) return [];
    const taken = steps.map((index) => graph.steps[index]?.id).join(', ');
    const message = `${service}: may fall below its floor if only ${taken} and what they wait for are quick.`;
    return [{ where: service, message, expected: `at least ${show(floor)} rps`, received: `${show(Math.max(0, capacity - sum))} rps` }];
  });
}

/** What each stop takes from its service and each start gives to it (negative), by service and index of the step. */
function listLosses({ graph, gpus, capacityOf }: TransitionFacts): ReadonlyMap<string, Map<number, number>> {
  const losses = new Map<string, Map<number, number>>();
  for (const [index, step] of graph.steps.entries()) {
    if (step.kind !== 'start-pod' && step.kind !== 'stop-pod') continue;
    const pool = gpus.get(step.gpu)?.pool;
    const profile = (pool && findKnownProfile(pool, step.profile)?.name) ?? step.profile;
    const capacityRps = capacityOf(pool, profile, step, step.capacityRps);
    const own = losses.get(step.service) ?? new Map<number, number>();
    own.set(index, step.kind === 'stop-pod' ? capacityRps : -capacityRps);
    losses.set(step.service, own);
  }
  return losses;
}
