import { type PlanFacts, type ServiceFacts, sumOver } from './plan-facts.js';
import { atMost, nearly, show } from './tolerance.js';
import type { Violation } from './verify-report.js';

/** The plan lists every service of the workload in order, with true sums, and each gets the capacity that its rate needs. */
export function checkServices({ workload, plan, services }: PlanFacts): readonly Violation[] {
  const expected = workload.services.map(({ name }) => name);
  const received = plan.services.map(({ name }) => name);
  const wrong = Array.from({ length: Math.max(expected.length, received.length) }, (_, index) => index).find(
    (index) => expected[index] !== received[index],
  );
  const violations = services.flatMap((facts) => checkService(facts, plan.objective));
  if (wrong === undefined) return violations;
  const where = `services[${wrong}]`;
  const message = 'The plan does not list the services of the workload, in its order.';
  return [{ where, message, expected: expected[wrong] ?? 'nothing', received: received[wrong] ?? 'nothing' }, ...violations];
}

function checkService(
  { service, summary, placed, promisedRps }: ServiceFacts,
  objective: PlanFacts['plan']['objective'],
): readonly Violation[] {
  if (summary === undefined) return [];
  const where = service.name;
  const violations: Violation[] = [];
  const refuse = (message: string, expected: string, received: string) =>
    violations.push({ where, message: `${where}: ${message}`, expected, received });
  const capacityRps = sumOver(placed, (instance) => instance.capacityRps);
  const plannedRps = sumOver(placed, (instance) => instance.plannedCapacityRps);

  if (summary.rateRps !== service.rateRps)
    refuse('the rate is not the workload’s.', `${show(service.rateRps)} rps`, `${show(summary.rateRps)} rps`);
  const instances = sumOver(placed, () => 1);
  if (summary.instances !== instances) refuse('the number of instances is wrong.', String(instances), String(summary.instances));
  if (!nearly(summary.capacityRps, capacityRps)) {
    refuse('capacityRps is not the sum of its instances.', `${show(capacityRps)} rps`, `${show(summary.capacityRps)} rps`);
  }
  if (!nearly(summary.plannedCapacityRps, plannedRps)) {
    refuse('plannedCapacityRps is not the sum of its instances.', `${show(plannedRps)} rps`, `${show(summary.plannedCapacityRps)} rps`);
  }
  if ((summary.factor === undefined) !== (objective !== 'max-min')) {
    refuse(
      'a factor is stated under the objective max-min, and only there.',
      objective === 'max-min' ? 'a factor' : 'none',
      show(summary.factor),
    );
  }
  if (!atMost(promisedRps, plannedRps)) {
    refuse('its instances cannot carry its rate.', `at least ${show(promisedRps)} rps`, `${show(plannedRps)} rps`);
  }
  if (promisedRps === 0 && placed.length > 0) refuse('it needs nothing and must be given nothing.', '0 instances', String(placed.length));
  return violations;
}
