import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseProfiles } from './base-profiles.js';
import { aGpu, profilesOf } from './gpu.fixture.js';
import type { GpuModel, MigProfile } from './gpu-model.js';
import { placeOnFewest } from './place-on-fewest.js';
import { checkLayout, placeOnGpu } from './placement.js';
import { formatLayout } from './slice-mask.js';

const place = (gpu: string, wanted: readonly string[], gpus: number) => {
  const model = aGpu(gpu);
  const placement = placeOnFewest(model, profilesOf(model, ...wanted), gpus);
  return placement.kind === 'placed' ? placement.layouts.map(formatLayout) : placement;
};

describe('placing onto the fewest GPUs', () => {
  it('puts seven 1g onto one of four empty GPUs', () => {
    expect(place('H100-80GB', Array(7).fill('1g.10gb'), 4)).toEqual([
      '1g.10gb@0 1g.10gb@1 1g.10gb@2 1g.10gb@3 1g.10gb@4 1g.10gb@5 1g.10gb@6',
    ]);
  });

  it('finds the pairing that a greedy filling misses', () => {
    const wanted = ['3g.40gb', '3g.40gb', '2g.20gb', '2g.20gb', '2g.20gb', '2g.20gb'];
    expect(place('H100-80GB', wanted, 4)).toEqual(['2g.20gb@0 2g.20gb@2 3g.40gb@4', '2g.20gb@0 2g.20gb@2 3g.40gb@4']);
  });

  it('says how many GPUs are needed when there are too few', () => {
    expect(place('H100-80GB', Array(3).fill('4g.40gb'), 2)).toEqual({ kind: 'too-few-gpus', needed: 3, proven: true });
    expect(place('H100-80GB', ['1g.10gb'], 0)).toEqual({ kind: 'too-few-gpus', needed: 1, proven: true });
  });

  it('needs no GPU for nothing', () => {
    expect(place('H100-80GB', [], 2)).toEqual([]);
  });

  it('stays quick for large requests', () => {
    const model = aGpu('H100-80GB');
    const wanted = ['1g.10gb', '2g.20gb', '3g.40gb', '4g.40gb'].flatMap((name) => Array<string>(200).fill(name));
    expect(placeOnFewest(model, profilesOf(model, ...wanted), 1000).kind).toBe('placed');
  });
});

/** Fewest GPUs by trying every split of the request. */
function fewest(model: GpuModel, wanted: readonly MigProfile[]): number {
  const bins: MigProfile[][] = [];
  let best = wanted.length;
  const put = (index: number) => {
    const profile = wanted[index];
    if (bins.length >= best && profile !== undefined) return;
    if (profile === undefined) {
      best = Math.min(best, bins.length);
      return;
    }
    for (const bin of bins) {
      bin.push(profile);
      if (placeOnGpu(model, bin).kind === 'placed') put(index + 1);
      bin.pop();
    }
    bins.push([profile]);
    put(index + 1);
    bins.pop();
  };
  put(0);
  return best;
}

it('uses as few GPUs as trying every split does', () => {
  const model = aGpu('A100-40GB');
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...baseProfiles(model)), { minLength: 1, maxLength: 7 }), (wanted) => {
      const placement = placeOnFewest(model, wanted, wanted.length);
      if (placement.kind !== 'placed') throw new Error('one GPU an instance is always enough');
      expect(placement.proven).toBe(true);
      expect(placement.layouts).toHaveLength(fewest(model, wanted));
      for (const layout of placement.layouts) expect(checkLayout(model, layout).kind).toBe('legal');
      const placed = placement.layouts.flat().map(({ profile }) => profile.name);
      expect(placed.sort()).toEqual(wanted.map(({ name }) => name).sort());
    }),
    { seed: 21, numRuns: 60 },
  );
});
