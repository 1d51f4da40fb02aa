import { expect, it } from 'vitest';
import { syntheticPlan } from '../formats/synthetic-plan.fixture.js';
import { checkPlanTarget } from './check-plan-target.js';
import { aService, aWorkload } from './demand.fixture.js';

it('tells every service by which a plan is for another workload, with its place', () => {
  const plan = syntheticPlan({ services: 2, gpus: 2 });
  const [first, second] = plan.services;
  if (first === undefined || second === undefined) throw new Error('the plan has two services');
  const same = plan.services.map(({ name, rateRps }) => aService({ name, rateRps }));
  expect(checkPlanTarget(plan, aWorkload({ services: same }))).toEqual([]);
  const other = [aService({ name: first.name, rateRps: first.rateRps + 1 }), aService({ name: 'third', rateRps: 5 })];
  expect(checkPlanTarget(plan, aWorkload({ services: other })).map(({ path, message }) => `${path}: ${message}`)).toEqual([
    `services[0].rateRps: The plan serves ${first.name} at another rate than the workload wants.`,
    `services[1].name: The plan serves ${second.name}, which the workload does not list.`,
    'services: The plan does not serve third.',
  ]);
});
