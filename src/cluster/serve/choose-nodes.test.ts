import { describe, expect, it } from 'vitest';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { listProductLabels, writeAffinity } from './choose-nodes.js';

describe('listProductLabels', () => {
  it('writes products as feature discovery does', () => {
    const labels = listProductLabels('A100-80GB', builtInCatalogue, new Set());
    expect(labels).toContain('NVIDIA-A100-SXM4-80GB');
    expect(labels).toContain('NVIDIA-A100-80GB-PCIe');
  });

  it('takes the variants of a plain model in, but for those that are told apart from it', () => {
    const all = listProductLabels('H100-80GB', builtInCatalogue, new Set(['H100-80GB', 'A100-80GB']));
    expect(all).toEqual(expect.arrayContaining(['NVIDIA-H100-80GB-HBM3', 'NVIDIA-H100-PCIe']));
    const rest = listProductLabels('H100-80GB', builtInCatalogue, new Set(['H100-80GB', 'H100-80GB-SXM']));
    expect(rest).toContain('NVIDIA-H100-PCIe');
    expect(rest).not.toContain('NVIDIA-H100-80GB-HBM3');
  });

  it('never gives one product to two models of a plan', () => {
    const models = builtInCatalogue.models.map(({ name }) => name);
    for (const one of models) {
      for (const other of models.filter((name) => name !== one)) {
        const both = new Set([one, other]);
        const shared = listProductLabels(one, builtInCatalogue, both).filter((label) =>
          listProductLabels(other, builtInCatalogue, both).includes(label),
        );
        expect(shared, `${one} and ${other}`).toEqual([]);
      }
    }
  });

  it('says nothing of a model of which no product is known', () => {
    const none = builtInCatalogue.models.filter(({ name }) => listProductLabels(name, builtInCatalogue, new Set()).length === 0);
    // Both sizes of a GB200 are called NVIDIA GB200.
    expect(none.map(({ name }) => name)).toEqual(['GB200-189GB']);
    expect(listProductLabels('X900', builtInCatalogue, new Set())).toEqual([]);
  });
});

describe('writeAffinity', () => {
  const own = { key: 'nvidia.com/gpu.product', operator: 'In', values: ['A'] };

  it('asks for the products', () => {
    expect(writeAffinity({ containers: [] }, ['A'])).toEqual({
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [own] }] } },
    });
  });

  it('adds to every term of a template, any of which a node may meet, and keeps the rest', () => {
    const zone = (value: string) => ({ matchExpressions: [{ key: 'zone', operator: 'In', values: [value] }] });
    const podAntiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [] };
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [zone('a'), zone('b')] } };
    const written = writeAffinity({ containers: [], affinity: { podAntiAffinity, nodeAffinity } }, ['A']);
    const terms = ['a', 'b'].map((value) => ({ matchExpressions: [...zone(value).matchExpressions, own] }));
    expect(written).toEqual({
      podAntiAffinity,
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
    });
  });
});
