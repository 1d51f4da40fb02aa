import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkState } from '../demand/check-state.js';
import { aPool, aRow, aService, aWorkload } from '../demand/demand.fixture.js';
import type { StateGpu } from '../demand/documents/state.js';
import { builtInCatalogue } from '../gpu/catalogue.js';
import { aGpu } from '../gpu/gpu.fixture.js';
import { aSmallPool } from '../plan/plan.fixture.js';
import {
  backends,
  brokenPromises,
  changes,
  countUsed,
  endOf,
  gatherReplicas,
  stateAfterCrash,
  stateOf,
  sumReady,
  transitHere,
  transitSoundly,
} from './transition.fixture.js';

const a100 = aPool({}, ['1g.10gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb']);
const settings = { seed: 4, numRuns: 5 };

test.each(backends)('every transition under %s holds its promises, whatever the delays', async (backend) => {
  await fc.assert(
    fc.asyncProperty(changes([a100]), fc.integer({ min: 0, max: 2 }), async ({ before, after }, maxExtraGpus) => {
      const state = await stateOf(before);
      const result = await transitHere(state, after, { backend, maxExtraGpus });
      if (result.kind === 'infeasible') expect(result.conflicts[0]?.code).toBe('FLOOR_CANNOT_BE_KEPT');
      else await transitSoundly(state, after, { backend, maxExtraGpus });
    }),
    settings,
  );
});

test.each(backends)('replicas come to different GPUs under %s, wherever they start', async (backend) => {
  await fc.assert(
    fc.asyncProperty(changes([a100], 4, 1.5, 3), fc.boolean(), async ({ before, after }, isGathered) => {
      const state = await stateOf(before);
      // As a device plugin might have it: equal slices are dealt in the order of the services.
      const start = isGathered ? gatherReplicas(state) : state;
      const result = await transitHere(start, after, { backend, maxExtraGpus: 4 });
      expect(result.kind).toBe('transition');
      await transitSoundly(start, after, { backend, maxExtraGpus: 4 });
    }),
    { seed: 4, numRuns: 6 },
  );
});

test.each(backends)('an unchanged demand needs no step under %s, in whatever order GPUs and instances are listed', async (backend) => {
  await fc.assert(
    fc.asyncProperty(changes([a100]), async ({ before }) => {
      const state = await stateOf(before);
      const shuffled = { ...state, gpus: state.gpus.toReversed().map((gpu) => ({ ...gpu, instances: gpu.instances.toReversed() })) };
      for (const one of [state, shuffled]) {
        const { steps, bounds } = await transitSoundly(one, before, { backend });
        expect(steps).toEqual([]);
        expect(bounds.podStarts).toEqual({ achieved: 0, limit: 0, gap: 0 });
      }
    }),
    settings,
  );
});

test.each(backends)('a full pool gets no new GPU under %s because another pool has a free one', async (backend) => {
  const h100 = aGpu('H100-80GB');
  const profiles = ['1g.10gb', '2g.20gb'];
  const pools = [aPool({ count: 2 }, profiles), aPool({ name: 'h100', gpu: h100, rowsOf: h100.name, count: 2 }, profiles)];
  const rpsOf = [
    [60, 130],
    [100, 210],
  ];
  const rows = pools.flatMap(({ gpu }, g) =>
    profiles.map((profile, p) => aRow({ gpu: gpu.name, profile, throughputRps: rpsOf[g]?.[p] ?? 0 })),
  );
  const demand = (rateRps: number) => aWorkload({ pools, rows, services: [aService({ rateRps, latency: { kind: 'factor', factor: 1 } })] });
  const holding = (id: string, g: number, pods: number): StateGpu => {
    const pod = { profile: '2g.20gb', service: 's', batch: 1, processes: 1, capacityRps: rpsOf[g]?.[1] ?? 0 };
    const { name, gpu } = pools[g] as (typeof pools)[number];
    return { id, pool: name, type: gpu.name, instances: Array.from({ length: pods }, (_, n) => ({ ...pod, start: 2 * n })) };
  };
  const before = demand(1500);
  const gpus = [holding('a0', 0, 2), holding('a1', 0, 0), holding('h0', 1, 3), holding('h1', 1, 3)];
  const state = { ...(await stateOf(before)), gpus };
  for (let rate = 300; rate <= 2000; rate += 400) {
    const result = await transitHere(state, demand(rate), { backend });
    if (result.kind === 'infeasible') continue;
    const steps = result.transition.steps.filter(({ gpu }) => !gpus.some(({ id }) => id === gpu));
    expect(steps, `at ${rate} rps`).toEqual([]);
    expect(brokenPromises(state, result.transition, demand(rate))).toEqual([]);
  }
});

test('mixed pools, limits and prices: promises hold and the cost is the lowest', async () => {
  const pools = [a100, aSmallPool({ price: 0.3, count: 6 })];
  await fc.assert(
    fc.asyncProperty(changes(pools), async ({ before, after }) => {
      const state = await stateOf(before);
      const result = await transitHere(state, after, { objective: 'cost', maxExtraGpus: 2 });
      if (result.kind === 'infeasible') return;
      const { bounds } = await transitSoundly(state, after, { objective: 'cost', maxExtraGpus: 2 });
      expect(bounds.cost?.achieved).toBeGreaterThanOrEqual(bounds.cost?.limit ?? 0);
    }),
    settings,
  );
});

test('renaming GPUs and services changes nothing but names', async () => {
  await fc.assert(
    fc.asyncProperty(changes([a100]), async ({ before, after }) => {
      const state = await stateOf(before);
      // The new names have the opposite order.
      const names = before.services.map(({ name }) => name);
      const rename = (name: string): string => `x${99 - names.indexOf(name)}`;
      const renamed = {
        ...state,
        services: state.services.map((service) => ({ ...service, name: rename(service.name) })),
        gpus: state.gpus.map((gpu, g) => ({
          ...gpu,
          id: `z${999 - g}`,
          instances: gpu.instances.map((instance) => ({ ...instance, service: instance.service && rename(instance.service) })),
        })),
      };
      const other = { ...after, services: after.services.map((service) => ({ ...service, name: rename(service.name) })) };
      const [one, two] = [await transitHere(state, after), await transitHere(renamed, other)];
      if (one.kind === 'infeasible' || two.kind === 'infeasible') return;
      expect(two.transition.counts).toEqual(one.transition.counts);
      expect(two.transition.makespanS).toBe(one.transition.makespanS);
    }),
    settings,
  );
});

test('there and back again: the way back keeps no fewer pods than the way there', async () => {
  await fc.assert(
    fc.asyncProperty(changes([a100]), async ({ before, after }) => {
      const state = await stateOf(before);
      const there = await transitHere(state, after, { maxExtraGpus: 2 });
      if (there.kind === 'infeasible') return;
      const back = await transitHere(endOf(there.transition), before, { maxExtraGpus: 2 });
      if (back.kind === 'infeasible') return;
      // Going back can undo every start and every stop of the way there.
      const undone = state.gpus.flatMap(({ instances }) => instances).length - there.transition.counts.kept;
      expect(back.transition.bounds.podStarts?.achieved).toBeLessThanOrEqual(undone);
    }),
    settings,
  );
});

test.each(backends)(
  'steps cut off anywhere under %s leave a state with every floor held, from which the target is reached',
  async (backend) => {
    await fc.assert(
      fc.asyncProperty(
        changes([a100]),
        fc.double({ min: 0.5, max: 1, noNaN: true }),
        fc.nat(1e6),
        async ({ before, after }, share, seed) => {
          const state = await stateOf(before);
          const whole = await transitHere(state, after, { backend, maxExtraGpus: 1 });
          if (whole.kind === 'infeasible') return;
          const cut = stateAfterCrash(state, whole.transition, share, seed);
          expect(checkState(cut, builtInCatalogue).problems).toEqual([]);
          const ready = sumReady(cut);
          for (const [i, { name, rateRps }] of after.services.entries()) {
            const floor = Math.min(rateRps, before.services[i]?.rateRps ?? 0);
            expect(ready.get(name) ?? 0).toBeGreaterThanOrEqual(floor * (1 - 1e-9));
          }
          // As many GPUs as before the cut: fewer may be in use now.
          const allowed = Math.max(countUsed(state), countUsed(whole.transition.target)) + 1;
          const maxExtraGpus = allowed - Math.max(countUsed(cut), countUsed(whole.transition.target));
          const rest = await transitSoundly(cut, after, { backend, maxExtraGpus: Math.max(1, maxExtraGpus) });
          expect(countUsed(rest.target)).toBe(countUsed(whole.transition.target));
        },
      ),
      settings,
    );
  },
);

test('the smallest deadlock: two services trade places on one full GPU', async () => {
  const pool = aPool({}, ['3g.40gb', '4g.40gb']);
  const rows = ['a', 'b'].flatMap((model) => [
    aRow({ model, profile: '3g.40gb', throughputRps: 80 }),
    aRow({ model, profile: '4g.40gb', throughputRps: 100 }),
  ]);
  const service = (name: string, rateRps: number) =>
    aService({ name, model: name, rateRps, latencyMs: 1e6, latency: { kind: 'factor', factor: 1 } });
  const before = aWorkload({ pools: [pool], rows, services: [service('a', 100), service('b', 70)] });
  const after = { ...before, services: [service('a', 75), service('b', 95)] };
  const state = await stateOf(before);
  const stuck = await transitHere(state, after, { maxExtraGpus: 0 });
  expect(stuck).toMatchObject({ kind: 'infeasible', neededExtraGpus: 1, dips: [{ service: 'b', rps: 70, seconds: 70, requests: 4900 }] });
  const { makespanS, peakGpus, counts } = await transitSoundly(state, after, { maxExtraGpus: 1 });
  expect({ makespanS, peakGpus, podStarts: counts.podStarts }).toEqual({ makespanS: 36.7, peakGpus: 2, podStarts: 2 });
});
