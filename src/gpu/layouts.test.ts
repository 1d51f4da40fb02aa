import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseProfiles } from './base-profiles.js';
import { builtInCatalogue } from './catalogue.js';
import { aGpu, aLayout, profilesOf } from './gpu.fixture.js';
import type { GpuModel, Layout, MigProfile } from './gpu-model.js';
import { enumerateLayouts, maximalLayouts, undominatedLayouts } from './layouts.js';
import { checkLayout } from './placement.js';
import { formatLayout } from './slice-mask.js';

const withDoubleMemory = (model: GpuModel) => model.profiles.filter(({ variant }) => variant === 'base' || variant === 'double-memory');
const countsOf = (profiles: readonly MigProfile[], layout: Layout) =>
  profiles.map((profile) => layout.filter((placed) => placed.profile.name === profile.name).length);
const computeSlices = (layout: Layout) =>
  [...layout]
    .map(({ profile }) => profile.computeSlices)
    .sort((a, b) => b - a)
    .join('+');

describe('layouts of known GPUs', () => {
  const sevenSlice = builtInCatalogue.models.filter((model) => model.computeSlices === 7);

  it.each(sevenSlice.map((model) => model.name))('%s has the known counts of the 7-slice family', (name) => {
    const model = aGpu(name);
    const base = baseProfiles(model);
    const layouts = enumerateLayouts(model, base);
    expect(layouts).toHaveLength(297);
    expect(new Set(layouts.map((layout) => countsOf(base, layout).join())).size).toBe(37);
    expect(maximalLayouts(model, base)).toHaveLength(19);
    expect(undominatedLayouts(model, base)).toHaveLength(12);
  });

  it('counts 722 layouts, 78 maximal and 28 undominated with the double-memory 1g', () => {
    const model = aGpu('H100-80GB');
    const profiles = withDoubleMemory(model);
    expect(enumerateLayouts(model, profiles)).toHaveLength(722);
    expect(maximalLayouts(model, profiles)).toHaveLength(78);
    expect(undominatedLayouts(model, profiles)).toHaveLength(28);
  });

  it.each(['A30-24GB', 'RTX-PRO-6000-96GB'])('%s has 5 maximal layouts and 4 undominated combinations', (name) => {
    const model = aGpu(name);
    expect(maximalLayouts(model, baseProfiles(model))).toHaveLength(5);
    expect(undominatedLayouts(model, baseProfiles(model)).map(({ layout }) => computeSlices(layout))).toEqual([
      '4',
      '2+2',
      '2+1+1',
      '1+1+1+1',
    ]);
  });

  it('lists the undominated combinations of a 7-slice GPU largest first', () => {
    const model = aGpu('A100-80GB');
    expect(undominatedLayouts(model, baseProfiles(model)).map(({ layout }) => computeSlices(layout))).toEqual([
      '7',
      '4+3',
      '4+2+1',
      '4+1+1+1',
      '3+3',
      '3+2+2',
      '3+2+1+1',
      '3+1+1+1+1',
      '2+2+2+1',
      '2+2+1+1+1',
      '2+1+1+1+1+1',
      '1+1+1+1+1+1+1',
    ]);
  });

  it('gives the whole GPU exactly one layout', () => {
    for (const model of builtInCatalogue.models) {
      expect(undominatedLayouts(model, [model.full])).toEqual([{ counts: [1], layout: [{ profile: model.full, start: 0 }] }]);
    }
  });

  it('has no 4g beside a 3g when the driver forbids it', () => {
    const model = aGpu('A100-40GB');
    const rules = { forbid4gWith3g: true };
    const shapes = undominatedLayouts(model, baseProfiles(model), { rules }).map(({ layout }) => computeSlices(layout));
    expect(shapes).not.toContain('4+3');
    expect(shapes).toContain('4+2+1');
  });

  it('only offers what fits beside occupied slices', () => {
    const model = aGpu('A30-24GB');
    const shapes = undominatedLayouts(model, baseProfiles(model), { occupied: aLayout(model, '1g.6gb@0 1g.6gb@1') });
    expect(shapes.map(({ layout }) => formatLayout(layout))).toEqual(['2g.12gb@2', '1g.6gb@2 1g.6gb@3']);
  });

  it('offers nothing on a full GPU', () => {
    const model = aGpu('A30-24GB');
    expect(undominatedLayouts(model, baseProfiles(model), { occupied: aLayout(model, '4g.24gb@0') })).toEqual([]);
  });
});

describe('layouts of any selection of profiles', () => {
  const selection = fc.constantFrom('A100-40GB', 'B200-180GB', 'A30-24GB', 'RTX-PRO-6000-96GB').chain((name) =>
    fc.record({
      model: fc.constant(aGpu(name)),
      profiles: fc.shuffledSubarray([...aGpu(name).profiles], { minLength: 1, maxLength: 5 }),
    }),
  );

  it('are legal, and each is part of an undominated one', () => {
    fc.assert(
      fc.property(selection, fc.boolean(), ({ model, profiles }, forbid4gWith3g) => {
        const rules = { forbid4gWith3g };
        const shapes = undominatedLayouts(model, profiles, { rules });
        for (const layout of enumerateLayouts(model, profiles, rules)) {
          expect(checkLayout(model, layout, rules).kind).toBe('legal');
          const counts = countsOf(profiles, layout);
          expect(shapes.some((shape) => counts.every((count, index) => count <= (shape.counts[index] ?? 0)))).toBe(true);
        }
      }),
      { seed: 7, numRuns: 25 },
    );
  });

  it('have undominated combinations that contain none of each other and whose witness is legal', () => {
    fc.assert(
      fc.property(selection, ({ model, profiles }) => {
        const shapes = undominatedLayouts(model, profiles);
        for (const [index, { counts, layout }] of shapes.entries()) {
          expect(checkLayout(model, layout).kind).toBe('legal');
          expect(countsOf(profiles, layout)).toEqual(counts);
          expect(layout.map(({ start }) => start)).toEqual(layout.map(({ start }) => start).sort((a, b) => a - b));
          const contained = shapes.some((other, place) => place !== index && counts.every((count, at) => count <= (other.counts[at] ?? 0)));
          expect(contained).toBe(false);
        }
      }),
      { seed: 8, numRuns: 40 },
    );
  });

  it('agree with the layouts left over beside what is occupied', () => {
    const model = aGpu('H100-80GB');
    const base = baseProfiles(model);
    const layouts = enumerateLayouts(model, base);
    fc.assert(
      fc.property(fc.constantFrom(...layouts), (occupied) => {
        const beside = layouts
          .filter((layout) => checkLayout(model, [...occupied, ...layout]).kind === 'legal')
          .map((layout) => countsOf(base, layout));
        const largest = beside.filter(
          (counts) => !beside.some((other) => other.join() !== counts.join() && counts.every((count, at) => count <= (other[at] ?? 0))),
        );
        const expected = [...new Set(largest.map((counts) => counts.join()))].sort();
        const found = undominatedLayouts(model, base, { occupied }).map(({ counts }) => counts.join());
        expect([...found].sort()).toEqual(expected);
      }),
      { seed: 9, numRuns: 40 },
    );
  });
});

it('refuses chips with more combinations than can be looked at', () => {
  const [profile] = profilesOf(aGpu('A100-40GB'), '1g.5gb');
  if (profile === undefined) throw new Error('unreachable');
  const starts = Array.from({ length: 16 }, (_, slice) => slice);
  const profiles = Array.from({ length: 16 }, (_, index) => ({ ...profile, name: `p${index}`, starts, maxCount: 16 }));
  const model = { ...aGpu('A100-40GB'), computeSlices: 16, memorySlices: 16, profiles };
  expect(() => undominatedLayouts(model, profiles)).toThrow(/Allow fewer|more than/);
});
