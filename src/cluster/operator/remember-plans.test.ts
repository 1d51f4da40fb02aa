import { describe, expect, it } from 'vitest';
import { inlayError } from '../../errors.js';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { builtInBackends } from '../backends/registry.js';
import { decide } from '../decide/decide.js';
import { aPool, aWorkload, tables } from '../decide/demand.fixture.js';
import type { MadePlan, PlanInput } from '../decide/make-plan.js';
import { createMemory } from '../decide/memory.js';
import { SimulatedCluster } from '../decide/simulated-cluster.fixture.js';
import { rememberPlans } from './remember-plans.js';

const question = (name: string) => ({ group: { name, workloads: [], pools: [] }, state: { name } }) as unknown as PlanInput;
const none: MadePlan = { kind: 'infeasible', conflicts: [{ code: 'POOL_TOO_SMALL', message: 'no' }] };

/** A planner that gives these answers one after another, with its clock in ms. */
function aPlanner(answers: readonly (MadePlan | Error)[]) {
  const clock = { ms: 0 };
  const calls: string[] = [];
  const seen: unknown[] = [];
  const ask = rememberPlans(
    async ({ group }) => {
      calls.push(group.name);
      const next = answers[calls.length - 1] ?? none;
      if (next instanceof Error) throw next;
      return next;
    },
    { most: 2, now: () => clock.ms, onPlanned: () => {}, onFault: (error) => void seen.push(error) },
  );
  return { ask, clock, calls, seen };
}

describe('rememberPlans', () => {
  it('plans each question once, also one that has no plan, and forgets the oldest', async () => {
    const { ask, clock, calls } = aPlanner([]);
    for (const name of ['a', 'a', 'b', 'a', 'c', 'b', 'a']) {
      expect(await ask(question(name))).toEqual(none);
      clock.ms += 3_600_000;
    }
    expect(calls).toEqual(['a', 'b', 'c', 'a']);
  });

  it.each([
    ['an error of the language', new Error('boom'), 'INTERNAL'],
    ['a fault of the solver', inlayError('SOLVER_FAILED', { message: 'it is gone' }), 'SOLVER_FAILED'],
  ])('tries %s again after a pause that doubles, and is done when it goes well', async (_what, error, code) => {
    const { ask, clock, calls, seen } = aPlanner([error, error, error, none]);
    const pauses: number[] = [];
    for (let tries = 1; tries <= 3; tries++) {
      const made = await ask(question('a'));
      expect(made).toMatchObject({ kind: 'infeasible', conflicts: [{ code }] });
      const { againInMs = 0 } = made as { againInMs?: number };
      pauses.push(againInMs);
      clock.ms += againInMs - 1;
      expect(await ask(question('a'))).toMatchObject({ againInMs: 1 });
      expect(calls).toHaveLength(tries);
      clock.ms += 1;
    }
    expect(pauses).toEqual([10_000, 20_000, 40_000]);
    expect(seen).toHaveLength(3);
    expect(await ask(question('a'))).toEqual(none);
    clock.ms += 3_600_000;
    expect(await ask(question('a'))).toEqual(none);
    expect(calls).toHaveLength(4);
  });

  it('never waits longer than ten minutes', async () => {
    const { ask, clock } = aPlanner(Array.from({ length: 20 }, () => new Error('boom')));
    let longest = 0;
    for (let n = 0; n < 20; n++) {
      const { againInMs = 0 } = (await ask(question('a'))) as { againInMs?: number };
      longest = Math.max(longest, againInMs);
      clock.ms += againInMs;
    }
    expect(longest).toBe(600_000);
  });

  it('remembers what is wrong with the input', async () => {
    const { ask, clock, calls } = aPlanner([inlayError('TOO_MANY', { message: 'too many' })]);
    for (let n = 0; n < 3; n++) {
      expect(await ask(question('a'))).toEqual({ kind: 'infeasible', conflicts: [{ code: 'TOO_MANY', message: 'too many' }] });
      clock.ms += 3_600_000;
    }
    expect(calls).toHaveLength(1);
  });

  it('has the loop look again when it is time', async () => {
    const cluster = new SimulatedCluster({ seed: 1, nodes: 1, gpusPerNode: 1 });
    cluster.put(aPool());
    cluster.put(tables);
    cluster.put(aWorkload('media', { tags: { model: 'resnet50', rateRps: 60, latencyMs: 200 } }));
    const { ask } = aPlanner([new Error('boom')]);
    const context = { catalogue: builtInCatalogue, backends: builtInBackends, planner: ask, memory: createMemory(), nowMs: cluster.nowMs };
    expect((await decide(cluster.view(), context)).againInMs).toBe(10_000);
  });
});
