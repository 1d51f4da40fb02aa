import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Backend } from '../demand/documents/transition.js';
import { claimMutations } from './transition/claim-mutations.fixture.js';
import type { ScenarioDraft } from './transition/mutation.fixture.js';
import { stepMutations } from './transition/step-mutations.fixture.js';
import { makeScenario, type Scenario, sealTransition } from './transition/transition.fixture.js';
import type { TransitionReport } from './transition/transition-checks.js';
import { verifyTransition } from './verify-transition.js';
import { aService, safeRule } from './workload.fixture.js';

const brokenChecks = (report: TransitionReport) => report.checks.filter(({ ok }) => !ok).map(({ name }) => name);
const violationsOf = (report: TransitionReport) => report.checks.flatMap(({ violations }) => violations);

const scenario = fc
  .record({
    rates: fc.array(fc.constantFrom(40, 300, 900), { minLength: 1, maxLength: 3 }),
    factors: fc.array(fc.constantFrom(1, 0.6), { minLength: 3, maxLength: 3 }),
    leaves: fc.boolean(),
    arrives: fc.boolean(),
    backend: fc.constantFrom<Backend>('instance', 'gpu-wipe', 'node'),
    keepEvery: fc.constantFrom(0, 1, 2, 3),
    detour: fc.boolean(),
    latency: fc.constantFrom(safeRule, { kind: 'factor', factor: 0.45 } as const),
  })
  .map(({ rates, factors, leaves, arrives, latency, ...rest }) => {
    const before = rates.map((rateRps, index) =>
      aService({ name: `s${index}`, model: index === 1 ? 'bert' : 'net', rateRps, latencyMs: 900, latency }),
    );
    const staying = before.map((service, index) => ({ ...service, rateRps: service.rateRps * (factors[index] ?? 1) }));
    const after = [
      ...staying.slice(leaves ? 1 : 0),
      ...(arrives ? [aService({ name: 'late', rateRps: 200, latencyMs: 900, latency })] : []),
    ];
    return { before, after: after.length === 0 ? staying : after, ...rest };
  });

describe('verifyTransition', () => {
  it('accepts what a simple and careful planner makes, for every backend', () => {
    fc.assert(
      fc.property(scenario, (options) => {
        const { state, transition, workload } = makeScenario(options);
        expect(violationsOf(verifyTransition(state, transition, workload))).toEqual([]);
      }),
      { seed: 11, numRuns: 50 },
    );
  });

  const scenarios = fc.sample(scenario, { seed: 12, numRuns: 60 }).map(makeScenario);
  it.each([...stepMutations, ...claimMutations])('notices when someone would $name', ({ check, apply, keepMakespan }) => {
    let applied = 0;
    fc.assert(
      fc.property(fc.nat(scenarios.length - 1), fc.nat(), (index, choice) => {
        const scenario = scenarios[index] as Scenario;
        // Through JSON, so that state and target share nothing.
        const draft: Omit<ScenarioDraft, 'workload'> = JSON.parse(
          JSON.stringify({ state: scenario.state, transition: scenario.transition }),
        );
        const pick = <T>(items: readonly T[]) => items[choice % items.length] as T;
        if (apply({ ...draft, workload: scenario.workload }, pick) === false) return;
        applied++;
        const transition = sealTransition(draft.transition, { makespanS: keepMakespan ? draft.transition.makespanS : undefined });
        const report = verifyTransition(draft.state, transition, scenario.workload);
        expect(brokenChecks(report)).toContain(check);
      }),
      { seed: 12, numRuns: 12 },
    );
    expect(applied).toBeGreaterThan(0);
  });

  it('notices a transition that was changed under its id', () => {
    const { state, transition, workload } = makeScenario({
      before: [aService()],
      after: [aService()],
      backend: 'instance',
      keepEvery: 1,
      detour: false,
    });
    expect(brokenChecks(verifyTransition(state, { ...transition, maxExtraGpus: 7 }, workload))).toEqual(['identity']);
  });
});
