import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aGpu, profilesOf } from '../gpu/gpu.fixture.js';
import type { DealtGpu } from './deal-instances.js';
import { spreadReplicas } from './spread-replicas.js';

const [placedProfile] = profilesOf(aGpu('A30-24GB'), '1g.6gb');

/** Fleets of GPUs with four equal slots each. */
const fleets = fc.array(fc.array(fc.integer({ min: -1, max: 3 }), { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 5 });

function fleetOf(services: readonly (readonly number[])[]): DealtGpu[] {
  if (placedProfile === undefined) throw new Error('no profile');
  return services.map((gpu) => ({
    cut: 0,
    slots: gpu.map((service, start) => ({ placed: { profile: placedProfile, start }, size: 0, service })),
  }));
}

const homes = (gpus: readonly DealtGpu[], service: number): number =>
  gpus.filter(({ slots }) => slots.some((slot) => slot.service === service)).length;
const instances = (gpus: readonly DealtGpu[]): string =>
  JSON.stringify(gpus.flatMap(({ slots }) => slots.map(({ service }) => service)).sort());

test('replicas reach different GPUs by exchanges that change no count and take no GPU from a service that needs it', () => {
  fc.assert(
    fc.property(fleets, fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 4, maxLength: 4 }), (drawn, wanted) => {
      const gpus = fleetOf(drawn);
      const before = instances(gpus);
      const homesBefore = wanted.map((_, i) => homes(gpus, i));
      const crowded = spreadReplicas(gpus, Int32Array.from(wanted));
      expect(instances(gpus)).toBe(before);
      for (const [i, need] of wanted.entries()) {
        if (need > 1 && !crowded.includes(i)) expect(homes(gpus, i)).toBeGreaterThanOrEqual(need);
        if (need > 1) expect(homes(gpus, i)).toBeGreaterThanOrEqual(Math.min(need, homesBefore[i] as number));
      }
    }),
    { seed: 8, numRuns: 300 },
  );
});
