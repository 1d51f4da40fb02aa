import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPointFinder } from '../../../demand/operating-points.js';
import type { Workload } from '../../../demand/workload.js';
import { buildProblem } from '../../build-problem.js';
import { type Cut, listCuts } from '../../list-cuts.js';
import type { PackingProblem } from '../../packing-problem.js';
import { aSmallPool, workloads } from '../../plan.fixture.js';
import { gatherFreeSlots } from '../mig-serving/gather-free-slots.js';
import { type ConfigurationSpace, listConfigurationSpace } from './configuration-space.js';
import { type DeployedGpu, deploy, layoutOf, needsBeside } from './deployment.js';
import { dropSurplus } from './drop-surplus.js';
import { scoreServices } from './list-scores.js';
import { PartTournament } from './part-tournament.js';
import { rankConfigurations } from './rank-configurations.js';
import { ServiceNeeds } from './service-needs.js';

interface Setting {
  readonly cuts: readonly Cut[];
  readonly problem: PackingProblem;
  readonly space: ConfigurationSpace;
}

function settle(workload: Workload): Setting {
  const finder = createPointFinder(workload);
  const cuts = listCuts(workload, finder.index.sizes, { whole: workload.pools.map(() => 0), partial: [] });
  const factors = workload.services.map(() => 1);
  const { problem } = buildProblem(workload, finder, cuts, 'gpus', factors);
  const space = listConfigurationSpace(cuts, problem);
  if (space === undefined) throw new Error('too large');
  return { cuts, problem, space };
}

const small = workloads({ services: 4, pools: [aSmallPool()], most: 1.5 });

/** Every GPU there can be: each slot of each layout with each service or none. */
function everyGpu(cuts: readonly Cut[], services: number): DeployedGpu[] {
  return cuts.flatMap(({ layouts }, cut) =>
    layouts.flatMap(({ slots }, layout) => {
      let all: number[][] = [[]];
      for (const _ of slots) all = all.flatMap((some) => Array.from({ length: services + 1 }, (__, i) => [...some, i - 1]));
      return all.map((some): DeployedGpu => ({ cut, layout, services: Int32Array.from(some) }));
    }),
  );
}

function scoreOf({ cuts, problem }: Setting, needs: ServiceNeeds, gpu: DeployedGpu, capCredit: boolean): number {
  const utility = new Map<number, number>();
  for (const [n, { size }] of layoutOf(cuts, gpu).slots.entries()) {
    const service = gpu.services[n] as number;
    if (service < 0 || problem.demand[service] === 0) continue;
    const rps = problem.throughput[service * problem.sizeCount + size] as number;
    utility.set(service, (utility.get(service) ?? 0) + rps / (problem.demand[service] as number));
  }
  let score = 0;
  for (const [service, own] of utility) score += needs.weight(service) * (capCredit ? Math.min(own, needs.weight(service)) : own);
  return score;
}

describe('the best configurations', () => {
  const drawn = fc.record({ workload: small, mix: fc.integer({ min: 1, max: 4 }), capCredit: fc.boolean(), given: fc.array(fc.nat(11)) });

  test('are those that trying every service on every slot finds', () => {
    fc.assert(
      fc.property(drawn, ({ workload, mix, capCredit, given }) => {
        const setting = settle(workload);
        const { cuts, problem, space } = setting;
        const needs = new ServiceNeeds(problem, space);
        for (const n of given) needs.give(n % problem.serviceCount, n % problem.sizeCount, 1);
        const [best] = rankConfigurations(
          space,
          scoreServices([...problem.demand.keys()], (service, part) => needs.score(service, part, capCredit)),
          mix,
          1,
        );
        const mixed = ({ services }: DeployedGpu): number => new Set(services.filter((service) => service >= 0)).size;
        const all = everyGpu(cuts, problem.serviceCount).filter((gpu) => mixed(gpu) <= mix);
        const most = Math.max(...all.map((gpu) => scoreOf(setting, needs, gpu, capCredit)));
        expect(best?.score ?? 0).toBeCloseTo(most, 9);
        if (best === undefined) return;
        expect(scoreOf(setting, needs, deploy(cuts, space, best), capCredit)).toBeCloseTo(best.score, 9);
      }),
      { seed: 1, numRuns: 60 },
    );
  });

  test('come best first, differ, and do not depend on how the scores are kept', () => {
    fc.assert(
      fc.property(drawn, ({ workload, mix, capCredit }) => {
        const { problem, space } = settle(workload);
        const needs = new ServiceNeeds(problem, space);
        const score = (service: number, part: number): number => needs.score(service, part, capCredit);
        const listed = rankConfigurations(space, scoreServices([...problem.demand.keys()], score), mix, 8);
        const kept = rankConfigurations(space, new PartTournament(space.parts.length, problem.serviceCount, score), mix, 8);
        expect(kept).toEqual(listed);
        expect(listed.map((one) => one.score)).toEqual(listed.map((one) => one.score).sort((a, b) => b - a));
        expect(new Set(listed.map(({ layout, shares }) => JSON.stringify([layout, shares]))).size).toBe(listed.length);
      }),
      { seed: 2, numRuns: 60 },
    );
  });
});

describe('a deployment', () => {
  const deployments = fc
    .record({ workload: small, picks: fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 8 }) })
    .map(({ workload, picks }) => {
      const setting = settle(workload);
      const all = everyGpu(setting.cuts, setting.problem.serviceCount);
      return { setting, gpus: picks.map((pick) => all[pick % all.length] as DeployedGpu) };
    });
  const weights = ({ cuts, problem, space }: Setting, gpus: readonly DeployedGpu[]): number[] => {
    const needs = needsBeside(problem, space, cuts, gpus);
    return [...problem.demand.keys()].map((service) => needs.weight(service));
  };

  test('leaves every need as it is when surplus goes, and has no more of it then', () => {
    fc.assert(
      fc.property(deployments, ({ setting, gpus }) => {
        const { cuts, problem } = setting;
        const kept = dropSurplus(problem, cuts, gpus);
        expect(weights(setting, kept)).toEqual(weights(setting, gpus).map((weight) => expect.closeTo(weight, 9)));
        expect(dropSurplus(problem, cuts, kept)).toEqual(kept);
      }),
      { seed: 3, numRuns: 100 },
    );
  });

  test('keeps its instances when free slots are gathered, on no more GPUs', () => {
    fc.assert(
      fc.property(deployments, ({ setting, gpus }) => {
        const prices = new Float64Array(setting.problem.sizeCount).fill(0.1);
        const gathered = gatherFreeSlots(setting.cuts, prices, gpus);
        expect(gathered.length).toBeLessThanOrEqual(gpus.length);
        expect(weights(setting, gathered)).toEqual(weights(setting, gpus).map((weight) => expect.closeTo(weight, 9)));
      }),
      { seed: 4, numRuns: 100 },
    );
  });
});
