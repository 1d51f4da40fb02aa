import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkerSolver, type WorkerSolver } from '../../src/solver/highs/worker-solver.js';
import { transition } from '../../src/transition/transition.js';
import { claimMutations } from '../../src/verify/transition/claim-mutations.fixture.js';
import type { ScenarioDraft } from '../../src/verify/transition/mutation.fixture.js';
import { stepMutations } from '../../src/verify/transition/step-mutations.fixture.js';
import { makeScenario, type Scenario, sealTransition } from '../../src/verify/transition/transition.fixture.js';
import { verifyTransition } from '../../src/verify/verify-transition.js';
import { aService } from '../../src/verify/workload.fixture.js';

const factor = { kind: 'factor', factor: 0.45 } as const;
const services = (rates: readonly number[]) =>
  rates.map((rateRps, index) =>
    aService({ name: `s${index}`, model: index % 2 === 0 ? 'net' : 'bert', rateRps, latencyMs: 900, latency: factor }),
  );

/** Small fleets whose rates change, with the transitions that the planner finds for each backend. */
describe('transitions of the planner', () => {
  let solver: WorkerSolver;
  const planned: Scenario[] = [];
  beforeAll(async () => {
    solver = await createWorkerSolver();
    const rates = fc.array(fc.constantFrom(200, 700, 1500, 2600), { minLength: 3, maxLength: 3 });
    const cases = fc.sample(
      fc.record({ before: rates, after: rates, backend: fc.constantFrom('instance' as const, 'gpu-wipe' as const, 'node' as const) }),
      {
        seed: 21,
        numRuns: 12,
      },
    );
    for (const { before, after, backend } of cases) {
      const { state, workload } = makeScenario({ before: services(before), after: services(after), backend, keepEvery: 1, detour: false });
      const result = await transition(state, workload, { backend, maxExtraGpus: 2, solver });
      expect(result.kind).toBe('transition');
      if (result.kind === 'transition') planned.push({ state, workload, transition: result.transition });
    }
  }, 120_000);
  afterAll(() => solver.terminate());

  it('keep every promise', () => {
    for (const { state, workload, transition } of planned) {
      const { checks } = verifyTransition(state, transition, workload);
      expect(checks.flatMap(({ violations }) => violations)).toEqual([]);
    }
  });

  it.each([...stepMutations, ...claimMutations])('are no longer accepted when someone would $name', ({ check, apply, keepMakespan }) => {
    for (const [choice, scenario] of planned.entries()) {
      const draft: Omit<ScenarioDraft, 'workload'> = JSON.parse(JSON.stringify({ state: scenario.state, transition: scenario.transition }));
      const pick = <T>(items: readonly T[]) => items[choice % items.length] as T;
      if (apply({ ...draft, workload: scenario.workload }, pick) === false) continue;
      const mutated = sealTransition(draft.transition, { makespanS: keepMakespan ? draft.transition.makespanS : undefined });
      const { checks } = verifyTransition(draft.state, mutated, scenario.workload);
      expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toContain(check);
    }
  });
});
