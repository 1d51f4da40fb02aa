import { describe, expect, it } from 'vitest';
import { builtInCatalogue } from './catalogue.js';
import { findProfile } from './find-profile.js';
import { aGpu } from './gpu.fixture.js';

const find = (gpu: string, name: string) => {
  const search = findProfile(aGpu(gpu), name);
  return search.kind === 'found' ? `${search.profile.name}${search.drifted === true ? ' (drifted)' : ''}` : search;
};

describe('finding a profile on a GPU model', () => {
  it('knows every profile by its name and by its Kubernetes resource', () => {
    for (const model of builtInCatalogue.models) {
      for (const profile of [...model.profiles, model.full]) {
        const resource = `nvidia.com/mig-${profile.name.replaceAll('+', '.')}`;
        for (const written of [profile.name, profile.name.toUpperCase(), resource, resource.replace('nvidia.com/', '')]) {
          expect(findProfile(model, written), `${model.name} ${written}`).toEqual({ kind: 'found', profile });
        }
      }
    }
  });

  it.each([
    ['H100-80GB', '3g.39gb', '3g.40gb (drifted)'],
    ['H100-94GB', '1g.11gb', '1g.12gb (drifted)'],
    ['H100-94GB', '1g.11gb+me', '1g.12gb+me (drifted)'],
    ['GB200-189GB', '3g.93gb', '3g.95gb (drifted)'],
    ['H100-80GB', 'full', 'full'],
  ])('reads %s %s as %s', (gpu, written, name) => {
    expect(find(gpu, written)).toBe(name);
  });

  it('does not take a name of another size or variant for drift', () => {
    expect(find('H100-80GB', '1g.35gb')).toMatchObject({ kind: 'unknown' });
    expect(find('A100-40GB', '2g.20gb')).toMatchObject({ kind: 'unknown' });
    expect(find('H100-80GB', '1g.10gb+gfx')).toEqual({ kind: 'unknown', suggestions: ['1g.10gb+me', '1g.10gb', '1g.20gb'] });
    expect(find('T4-16GB', '1g.10gb')).toEqual({ kind: 'unknown', suggestions: [] });
  });
});
