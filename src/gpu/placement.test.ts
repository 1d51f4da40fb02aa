import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aGpu, aLayout, profilesOf } from './gpu.fixture.js';
import type { GpuModel, MigProfile } from './gpu-model.js';
import { checkLayout, placeOnGpu } from './placement.js';
import { formatLayout } from './slice-mask.js';

const place = (gpu: string, wanted: readonly string[], occupied = '', rules = {}) => {
  const model = aGpu(gpu);
  const placement = placeOnGpu(model, profilesOf(model, ...wanted), { occupied: aLayout(model, occupied), rules });
  return placement.kind === 'placed' ? formatLayout(placement.layout) : placement.reason;
};

describe('placing instances that people asked for', () => {
  it('puts a 4g at 0 and a 3g at 4', () => {
    expect(place('A100-40GB', ['3g.20gb', '4g.20gb'])).toBe('4g.20gb@0 3g.20gb@4');
  });

  it('puts 4g, 2g and 1g at 0, 4 and 6, in whatever order they are written', () => {
    expect(place('H100-80GB', ['4g.40gb', '2g.20gb', '1g.10gb'])).toBe('4g.40gb@0 2g.20gb@4 1g.10gb@6');
    expect(place('H100-80GB', ['1g.10gb', '2g.20gb', '4g.40gb'])).toBe('4g.40gb@0 2g.20gb@4 1g.10gb@6');
  });

  it('has no room for a 1g beside two 3g and names the memory slices', () => {
    const model = aGpu('A100-40GB');
    expect(placeOnGpu(model, profilesOf(model, '3g.20gb', '3g.20gb', '1g.5gb'))).toEqual({
      kind: 'illegal',
      rule: 'memory-slices',
      reason: 'No memory slices are left for 1g.5gb, which needs one of 0-6: 3g.20gb@0 holds 0-3, 3g.20gb@4 holds 4-7.',
      memorySlices: [0, 1, 2, 3, 4, 5, 6],
    });
  });

  it('puts the plain 2g of an A30 at 2 when 0 and 1 are taken', () => {
    expect(place('A30-24GB', ['2g.12gb'], '1g.6gb@0 1g.6gb@1')).toBe('2g.12gb@2');
  });

  it('says which instances cut the free slices into pieces', () => {
    const model = aGpu('A100-40GB');
    expect(placeOnGpu(model, profilesOf(model, '3g.20gb'), { occupied: aLayout(model, '1g.5gb@0 1g.5gb@2 1g.5gb@4') })).toMatchObject({
      reason: 'No memory slices are left for 3g.20gb, which needs 0-3 or 4-7: 1g.5gb@0 holds 0, 1g.5gb@2 holds 2, 1g.5gb@4 holds 4.',
      memorySlices: [0, 2, 4],
      hint: 'Memory slices 1, 3, 5-7 are free, but not in one piece where 3g.20gb may start.',
    });
  });

  it('keeps room for large instances when there is a choice', () => {
    expect(place('A100-40GB', ['3g.20gb'])).toBe('3g.20gb@4');
    expect(place('A100-40GB', ['2g.10gb'])).toBe('2g.10gb@4');
    expect(place('A100-40GB', ['1g.5gb'])).toBe('1g.5gb@6');
  });

  it('names the limit that is broken', () => {
    expect(place('A100-40GB', ['4g.20gb', '4g.20gb'])).toBe('One A100-40GB holds at most 1 × 4g.20gb, not 2.');
    expect(place('A100-40GB', ['4g.20gb', '2g.10gb', '2g.10gb'])).toBe('4g.20gb and 2 × 2g.10gb need 8 compute slices; A100-40GB has 7.');
    expect(place('A100-40GB', ['4g.20gb', '3g.20gb'], '', { forbid4gWith3g: true })).toBe(
      '4g.20gb and 3g.20gb may not share a GPU under the rule forbid4gWith3g.',
    );
    expect(place('RTX-PRO-6000-96GB', ['1g.24gb+me.all', '1g.24gb'])).toBe(
      '1g.24gb and 1g.24gb+me.all need 5 video decoders (NVDEC); RTX-PRO-6000-96GB has 4.',
    );
    expect(place('A30-24GB', ['2g.12gb+me', '1g.6gb+me'])).toBe('2g.12gb+me and 1g.6gb+me need 2 JPEG decoders; A30-24GB has 1.');
  });

  it('lets instances without media engines sit beside one that holds all of them', () => {
    expect(place('RTX-PRO-6000-96GB', ['1g.24gb-me', '1g.24gb+me.all', '2g.48gb-me'])).toBe('2g.48gb-me@0 1g.24gb+me.all@2 1g.24gb-me@3');
  });

  it('places nothing on a GPU that is used whole', () => {
    expect(place('H200-141GB', ['1g.18gb'], 'full@0')).toBe('full and 1g.18gb need 8 compute slices; H200-141GB has 7.');
    expect(place('T4-16GB', ['full'])).toBe('full@0');
  });
});

describe('checking a layout with starts', () => {
  const check = (gpu: string, text: string) => {
    const result = checkLayout(aGpu(gpu), aLayout(aGpu(gpu), text));
    return result.kind === 'legal' ? 'legal' : result.reason;
  };

  it('accepts legal ones in any order', () => {
    expect(check('A100-40GB', '3g.20gb@4 4g.20gb@0')).toBe('legal');
    expect(check('A100-40GB', '')).toBe('legal');
  });

  it('names a start that does not exist and slices that two instances cover', () => {
    expect(check('A100-40GB', '4g.20gb@4')).toBe('4g.20gb cannot start at memory slice 4 of A100-40GB, only at 0.');
    expect(check('A100-40GB', '1g.5gb@3 3g.20gb@0')).toBe('1g.5gb@3 and 3g.20gb@0 both cover memory slice 3.');
  });

  it('trusts the model and not the profile that is handed in', () => {
    const model = aGpu('A100-40GB');
    const forged: MigProfile = { ...(profilesOf(model, '4g.20gb')[0] as MigProfile), starts: [0, 4] };
    expect(checkLayout(model, [{ profile: forged, start: 4 }]).kind).toBe('illegal');
    expect(checkLayout(model, [{ profile: { ...forged, name: '5g.25gb' }, start: 0 }])).toMatchObject({ rule: 'unknown-profile' });
  });
});

/** Tries every start of every instance: the definition of legality, without any cleverness. */
function canPlace(model: GpuModel, wanted: readonly MigProfile[], placed: readonly { profile: MigProfile; start: number }[] = []): boolean {
  const [profile, ...rest] = wanted;
  if (profile === undefined) return checkLayout(model, placed).kind === 'legal';
  return profile.starts.some((start) => canPlace(model, rest, [...placed, { profile, start }]));
}

describe('placing any request', () => {
  const request = fc
    .constantFrom('A100-40GB', 'A30-24GB', 'RTX-PRO-6000-96GB')
    .chain((name) =>
      fc.record({ model: fc.constant(aGpu(name)), wanted: fc.array(fc.constantFrom(...aGpu(name).profiles), { maxLength: 5 }) }),
    );

  it('succeeds exactly when some choice of starts is legal', () => {
    fc.assert(
      fc.property(request, ({ model, wanted }) => {
        const placement = placeOnGpu(model, wanted);
        expect(placement.kind === 'placed').toBe(canPlace(model, wanted));
        if (placement.kind === 'placed') {
          expect(checkLayout(model, placement.layout).kind).toBe('legal');
          expect(placement.layout.map(({ profile }) => profile.name).sort()).toEqual(wanted.map(({ name }) => name).sort());
        }
      }),
      { seed: 11, numRuns: 150 },
    );
  });

  it('does not depend on the order of the request', () => {
    fc.assert(
      fc.property(request, ({ model, wanted }) => {
        expect(placeOnGpu(model, [...wanted].reverse())).toEqual(placeOnGpu(model, wanted));
      }),
      { seed: 12, numRuns: 100 },
    );
  });

  it('leaves what is occupied alone', () => {
    fc.assert(
      fc.property(request, fc.nat(5), ({ model, wanted }, cut) => {
        const first = placeOnGpu(model, wanted.slice(0, cut));
        if (first.kind !== 'placed') return;
        const second = placeOnGpu(model, wanted.slice(cut), { occupied: first.layout });
        if (second.kind === 'placed') expect(checkLayout(model, [...first.layout, ...second.layout]).kind).toBe('legal');
      }),
      { seed: 13, numRuns: 100 },
    );
  });
});
