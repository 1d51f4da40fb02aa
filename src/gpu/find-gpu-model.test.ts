import { describe, expect, it } from 'vitest';
import { builtInCatalogue } from './catalogue.js';
import { findGpuModel } from './find-gpu-model.js';

const find = (name: string) => {
  const search = findGpuModel(builtInCatalogue, name);
  return search.kind === 'found' ? search.model.name : search;
};

describe('finding a GPU model', () => {
  it('knows every canonical name, product and label as exactly one model', () => {
    for (const model of builtInCatalogue.models) {
      for (const name of [model.name, ...model.products]) {
        const label = name.replaceAll(' ', '-');
        for (const written of [
          name,
          name.toLowerCase(),
          label,
          `${label}-SHARED`,
          `${label}-MIG-1g.10gb`,
          `${label}-MIG-1g.24gb.me.all-SHARED`,
        ]) {
          expect(find(written), written).toBe(model.name);
        }
      }
    }
  });

  it.each([
    ['H200', 'H200-141GB'],
    ['a30', 'A30-24GB'],
    ['RTX PRO 6000', 'RTX-PRO-6000-96GB'],
    ['rtx-pro-6000', 'RTX-PRO-6000-96GB'],
    ['H100-80GB', 'H100-80GB'],
    ['a100 80gb', 'A100-80GB'],
    ['H20', 'H20-96GB'],
    ['NVIDIA-H100-80GB-HBM3', 'H100-80GB-SXM'],
    ['NVIDIA-A100-SXM4-80GB-MIG-1g.10gb', 'A100-80GB'],
    ['NVIDIA-H100-80GB-HBM3-MIG-1g.10gb.me-SHARED', 'H100-80GB-SXM'],
    ['NVIDIA-GB200', 'GB200-186GB'],
    ['Tesla-V100-SXM2-32GB', 'V100-32GB'],
  ])('reads %s as %s', (written, name) => {
    expect(find(written)).toBe(name);
  });

  it('asks which one is meant when a short form fits several', () => {
    expect(find('H100')).toEqual({
      kind: 'ambiguous',
      candidates: ['H100-80GB', 'H100-80GB-PCIe', 'H100-80GB-SXM', 'H100-94GB', 'H100-96GB'],
    });
    expect(find('A100')).toEqual({ kind: 'ambiguous', candidates: ['A100-40GB', 'A100-80GB'] });
  });

  it('suggests names that look alike', () => {
    expect(find('A100-80')).toEqual({ kind: 'unknown', suggestions: ['A100-80GB', 'A100-40GB', 'H100-80GB'] });
    expect(find('H2000')).toMatchObject({ kind: 'unknown' });
    expect(find('')).toEqual({ kind: 'unknown', suggestions: [] });
    expect(find('NVIDIA')).toMatchObject({ kind: 'unknown' });
  });
});
