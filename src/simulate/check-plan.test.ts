import { describe, expect, it } from 'vitest';
import { aPool, aRow, aRule, aService, aWorkload } from '../demand/demand.fixture.js';
import type { Workload } from '../demand/workload.js';
import { planHere } from '../plan/plan.fixture.js';
import { verifyPlan } from '../verify/verify-plan.js';
import { type CheckOptions, planAndCheck } from './check-plan.js';
import { findShares } from './find-shares.js';
import type { ServiceOutcome } from './service-outcome.js';
import type { SimulationRequest } from './simulate-service.js';
import { simulateHere } from './simulate-services.js';

/** Says that a service meets its limit as long as each instance gets at most `mostRps`. */
const judge =
  (mostRps: number) =>
  async (requests: readonly SimulationRequest[]): Promise<readonly ServiceOutcome[]> =>
    requests.map(({ service }) => {
      const instances = service.kinds.reduce((sum, { count }) => sum + count, 0);
      const { name, limitMs, percentile, rateRps } = service;
      const verdict = rateRps / instances <= mostRps ? 'meets' : 'misses';
      return {
        kind: 'measured',
        name,
        limitMs,
        percentile,
        rateRps,
        verdict,
        requests: 1,
        percentileMs: { value: 1 },
        within: { value: 1 },
      } as ServiceOutcome;
    });

const workload = aWorkload({
  services: [aService({ name: 'a', rateRps: 900, latencyMs: 500 }), aService({ name: 'b', rateRps: 100, latencyMs: 500 })],
  rows: [aRow({ batch: 1, throughputRps: 100 }), aRow({ batch: 8, throughputRps: 100 })],
});
const options = (parts: Partial<CheckOptions>): CheckOptions => ({
  plan: (asked, request) => planHere(asked, { spare: 'spread', ...request }),
  simulate: simulateHere,
  depth: 'full',
  seed: 1,
  ...parts,
});

async function check(of: Workload, parts: Partial<CheckOptions>) {
  const result = await planAndCheck(of, options(parts));
  if (result.kind !== 'checked') throw new Error('infeasible');
  return result;
}

describe('planAndCheck', () => {
  it('accepts a plan that meets every limit, writes down what it saw, and the plan still verifies', async () => {
    const { plan, passed, rounds, outcomes } = await check(workload, {});
    expect({ passed, rounds }).toEqual({ passed: true, rounds: 1 });
    expect(outcomes.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['a', 'meets'],
      ['b', 'meets'],
    ]);
    expect(plan.check).toMatchObject({ rule: 'tight', depth: 'full', seed: 1, services: [{ name: 'a', verdict: 'meets' }, { name: 'b' }] });
    expect(verifyPlan(workload, plan).kind).toBe('holds');
    expect((await check(workload, {})).plan).toEqual(plan);
  });

  it('gives services that miss more headroom, until none misses; the bound stays that of the rates', async () => {
    const easy = await check(workload, { simulate: judge(1000) });
    const { plan, passed, rounds } = await check(workload, { simulate: judge(60) });
    const instances = plan.services.map((service) => service.instances);
    expect(passed).toBe(true);
    expect(rounds).toBeGreaterThan(1);
    expect(instances[0]).toBeGreaterThanOrEqual(15);
    expect(plan.bound).toEqual(easy.plan.bound);
    expect(verifyPlan(workload, plan).checks.filter(({ ok }) => !ok)).toEqual([]);
  });

  it('comes back with what it has when a service cannot be helped', async () => {
    const { passed, outcomes, rounds } = await check(workload, { simulate: judge(0), plan: (asked) => planHere(asked) });
    expect({ passed, rounds }).toEqual({ passed: false, rounds: 10 });
    expect(outcomes.every(({ verdict }) => verdict === 'misses')).toBe(true);
  });

  it('verifies with another seed and three times the length, unless it is to be quick', async () => {
    const runs = async (depth: CheckOptions['depth']) => {
      const seen: string[] = [];
      const simulate = (asked: readonly SimulationRequest[]) => {
        seen.push(...asked.map(({ seed, length }) => `${seed} ${length.kind === 'decided' ? length.stretch : ''}`));
        return judge(1000)(asked);
      };
      await check(workload, { depth, simulate });
      return seen;
    };
    expect(await runs('quick')).toEqual(['1 1', '1 1']);
    expect(await runs('full')).toEqual(['1 1', '1 1', '2 3', '2 3']);
  });

  it('passes on that there is no plan', async () => {
    const small = { ...workload, pools: [aPool({ count: 1 })] };
    expect((await planAndCheck(small, options({}))).kind).toBe('infeasible');
  });

  it('mends the factor rule too, which knows no queues', async () => {
    const latency = { kind: 'factor', factor: 0.45 } as const;
    const full = { ...workload, services: [aService({ rateRps: 699, latencyMs: 300, latency })] };
    const { passed, plan } = await check(full, { depth: 'quick' });
    expect(passed).toBe(true);
    expect(plan.services[0]?.instances).toBeGreaterThan(7);
  });

  it('plans for bursts as the rule says', async () => {
    const instancesAt = async (burstiness: number) => {
      const latency = aRule({ burstiness });
      const { plan, passed } = await check(
        { ...workload, services: [aService({ rateRps: 500, latencyMs: 100, latency })] },
        { depth: 'quick' },
      );
      expect(passed).toBe(true);
      return plan.services[0]?.plannedCapacityRps === undefined ? 0 : (plan.services[0]?.instances ?? 0);
    };
    expect(await instancesAt(3)).toBeGreaterThanOrEqual(await instancesAt(1));
  });
});

describe('findShares', () => {
  it('finds the share of the rate that is carried, to two percent and never above it', async () => {
    const service = {
      name: 's',
      rateRps: 100,
      limitMs: 1,
      percentile: 99,
      kinds: [{ count: 1 }],
    } as unknown as SimulationRequest['service'];
    const request = { service, batching: { delayMs: 0, batchVariation: 0 }, length: { kind: 'requests', requests: 1 }, seed: 1 } as const;
    for (const most of [45, 60, 99]) {
      const [share] = await findShares([request], judge(most));
      expect(share).toBeLessThanOrEqual(most / 100);
      expect(share).toBeGreaterThan(most / 100 - 0.02);
    }
    expect(await findShares([request], judge(1))).toEqual([0.4]);
    expect(await findShares([], judge(1))).toEqual([]);
  });
});
