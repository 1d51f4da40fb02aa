import { describe, expect, it } from 'vitest';
import type { PlanDocument } from '../../demand/documents/plan.js';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { a100Pool, syntheticPlan, t4Pool } from '../synthetic-plan.fixture.js';
import { drawPlan } from './draw-plan.js';

const draw = (plan: PlanDocument): string => drawPlan(plan, builtInCatalogue.models);

/** The texts a picture shows, in order; tooltips and the style sheet are left out. */
function textsOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<text[^>]*>(.*?)<\/text>/g)].map(([, content = '']) => content.replace(/<[^>]*>/g, ' ').trim());
}

describe('drawPlan', () => {
  it('says what is achieved and what is proven', () => {
    const plan = syntheticPlan({ gpus: 2, services: 1, pools: [t4Pool], seed: 5 });
    expect(textsOf(draw(plan)).slice(0, 12)).toEqual([
      'synthetic fleet',
      'objective gpus · exact',
      '2',
      'GPUs',
      '2',
      'proven minimum',
      '2',
      'instances',
      '1',
      'service',
      '100 %',
      'of memory slices in use',
    ]);
    const unproven = draw({ ...plan, optimal: false, gapGpus: 1, bound: { ...plan.bound, gpus: 1 } });
    expect(textsOf(unproven)).toContain('proven minimum, 1 GPU below');
    const maxMin = draw({ ...plan, objective: 'max-min', totals: { ...plan.totals, factor: 1.25 }, bound: { ...plan.bound, value: 1.3 } });
    expect(textsOf(maxMin)).toEqual(expect.arrayContaining(['× 1.25', '× 1.3', 'proven maximum']));
    const cost = draw({ ...plan, objective: 'cost', optimal: false, gap: 0.05 });
    expect(textsOf(cost)).toContain('proven minimum cost, gap 5 %');
  });

  it('draws one block an instance and hatches every unused stretch', () => {
    const plan = syntheticPlan({ gpus: 12, services: 5, pools: [a100Pool] });
    const svg = draw(plan);
    expect(svg.match(/<title>[^<]* on [^<]*batch/g)).toHaveLength(plan.totals.instances);
    const withSpace = plan.gpus.filter(({ instances }) => instances.length !== 1 && instances.at(-1)?.profile !== '3g.40gb');
    expect(svg.match(/<title>unused: /g)).toHaveLength(withSpace.length);
  });

  it('folds GPUs that look alike and tells their names', () => {
    const [gpu] = syntheticPlan({ gpus: 1, services: 1 }).gpus;
    const plan = syntheticPlan({ gpus: 12, services: 1 });
    const svg = draw({ ...plan, gpus: plan.gpus.map(({ id }) => ({ ...gpu, id }) as never) });
    expect(textsOf(svg)).toEqual(expect.arrayContaining(['× 12', 'a100-0001 and 11 like it']));
    expect(svg).toContain('<title>a100-0001, a100-0002,');
  });

  it('shows instances of others as in use', () => {
    const plan = syntheticPlan({ gpus: 1, services: 1 });
    const [gpu] = plan.gpus;
    const shared = { ...gpu, instances: [], occupied: [{ profile: '2g.20gb', start: 2 }] } as never;
    const svg = draw({ ...plan, gpus: [shared] });
    expect(textsOf(svg)).toContain('in use');
    expect(svg).toContain('2g.20gb@2: in use by others, left alone');
    expect(svg).toContain('unused: memory slices 4 to 7');
  });

  it('draws an empty plan', () => {
    expect(textsOf(draw(syntheticPlan({ gpus: 0, services: 0 })))).toContain('Services');
  });

  it('gives equal plans equal bytes', () => {
    expect(draw(syntheticPlan({ gpus: 30, services: 30 }))).toBe(draw(syntheticPlan({ gpus: 30, services: 30 })));
  });

  it('escapes every name', () => {
    const plan = syntheticPlan({ gpus: 1, services: 1, pools: [{ ...t4Pool, name: '<b>&' }] });
    const evil = draw({ ...plan, metadata: { ...plan.metadata, name: '<script>"' } });
    expect(evil).not.toMatch(/<script|<b>/);
    expect(textsOf(evil)[0]).toBe('&lt;script&gt;&quot;');
  });

  it('stays bounded for a huge fleet and counts what it leaves out', () => {
    const svg = draw(syntheticPlan({ gpus: 1300, services: 650 }));
    expect(textsOf(svg).filter((text) => / more (GPU|service)/.test(text))).toHaveLength(2);
    expect(svg.length).toBeLessThan(3_000_000);
  });

  it('names a GPU model or profile that is not known', () => {
    const plan = syntheticPlan({ gpus: 1, services: 1 });
    expect(() => drawPlan(plan, [])).toThrow(expect.objectContaining({ code: 'UNKNOWN_GPU' }));
    const [gpu] = plan.gpus;
    const strange = { ...gpu, instances: gpu?.instances.map((instance) => ({ ...instance, profile: '9g' })) } as never;
    expect(() => draw({ ...plan, gpus: [strange] })).toThrow(expect.objectContaining({ code: 'UNKNOWN_PROFILE' }));
  });
});
