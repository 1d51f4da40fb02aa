import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkLayout } from '../../gpu/placement.js';
import { cutOf, recut, sameCut } from './hardware.js';
import { cutAll, someCuts } from './some-cuts.fixture.js';

describe('recut', () => {
  it('makes legal layouts of exactly what was asked for, or none at all, with uuids that were never used', () => {
    fc.assert(
      fc.property(someCuts, ({ model, cuts }) => {
        const { hardware, refused } = cutAll(model.name, cuts);
        for (const [index, gpu] of hardware.gpus.entries()) {
          const cut = cuts[index] ?? null;
          expect(gpu.migEnabled).toBe(cut !== null);
          expect(sameCut(cutOf(gpu), refused[index] === true ? {} : cut)).toBe(true);
          const layout = gpu.instances.map(({ profile, start }) => ({
            profile: model.profiles.find(({ name }) => name === profile) ?? model.full,
            start,
          }));
          expect(checkLayout(model, layout).kind).toBe('legal');
        }
        const again = recut('node', hardware, 0, cuts[0] ?? null).hardware;
        const uuids = [...hardware.gpus, again.gpus[0]].flatMap((gpu) => gpu?.instances.map(({ uuid }) => uuid) ?? []);
        expect(new Set(uuids).size).toBe(uuids.length);
      }),
      { seed: 8, numRuns: 300 },
    );
  });
});
