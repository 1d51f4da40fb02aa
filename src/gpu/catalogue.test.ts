import { describe, expect, it } from 'vitest';
import { inferUsableMemory } from './catalogue/infer-usable-memory.js';
import { builtInCatalogue, extendCatalogue } from './catalogue.js';
import { checkGpuCatalogue, checkGpuModel } from './check-gpu-model.js';
import { findGpuModel } from './find-gpu-model.js';
import { aGpu } from './gpu.fixture.js';
import type { Fact } from './gpu-model.js';

const { models } = builtInCatalogue;

describe('the built-in GPU models', () => {
  it('pass the validation that a user’s models pass', () => {
    expect(models.flatMap((model) => checkGpuModel(model, model.name))).toEqual([]);
    expect(checkGpuCatalogue(builtInCatalogue)).toEqual([]);
  });

  it('include every model that the product names', () => {
    expect(models.map((model) => model.name).sort()).toMatchInlineSnapshot(`
      [
        "A10-24GB",
        "A100-40GB",
        "A100-80GB",
        "A30-24GB",
        "B200-180GB",
        "B300-269GB",
        "GB200-186GB",
        "GB200-189GB",
        "GB300-278GB",
        "GH200-144GB",
        "GH200-96GB",
        "H100-80GB",
        "H100-80GB-PCIe",
        "H100-80GB-SXM",
        "H100-94GB",
        "H100-96GB",
        "H20-96GB",
        "H200-141GB",
        "L4-24GB",
        "L40S-48GB",
        "RTX-PRO-6000-96GB",
        "T4-16GB",
        "V100-16GB",
        "V100-32GB",
      ]
    `);
  });

  it('give a source for every fact', () => {
    for (const model of models) {
      for (const profile of [...model.profiles, model.full]) {
        for (const fact of [profile.memoryMiB, profile.sms, profile.placement] as (Pick<Fact<unknown>, 'source'> | undefined)[]) {
          if (fact !== undefined) expect(fact.source).not.toBe('');
        }
      }
    }
  });

  it('are listed smallest profile first', () => {
    for (const { profiles } of models) {
      const sizes = profiles.map((profile) => profile.computeSlices * 100 + profile.memorySlices);
      expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    }
  });

  it('share a PCI id only between a variant and its plain model', () => {
    const owners = new Map<string, string>();
    for (const model of models.filter((known) => known.variantOf === undefined)) {
      for (const id of model.pciIds) {
        expect(id).toMatch(/^[0-9A-F]{4}$/);
        expect(owners.get(id)).toBeUndefined();
        owners.set(id, model.name);
      }
    }
    for (const model of models.filter((known) => known.variantOf !== undefined)) {
      for (const id of model.pciIds) expect(owners.get(id)).toBe(model.variantOf);
    }
  });

  it('never infer more usable memory than a device was seen to have', () => {
    for (const model of models.filter((known) => known.computeSlices === 7)) {
      const nominal = Number(/(\d+)gb/.exec(model.profiles.at(-1)?.name ?? '')?.[1]);
      for (const { memoryMiB, memorySlices, name } of model.profiles) {
        expect(memoryMiB.value, `${model.name} ${name}`).toBeGreaterThanOrEqual(
          inferUsableMemory(nominal, model.full.memoryMiB.value, memorySlices).value,
        );
      }
    }
  });

  it('mean different slices by one name on different GPUs', () => {
    const oneG35 = (gpu: string) => aGpu(gpu).profiles.find(({ name }) => name === '1g.35gb');
    expect(oneG35('H200-141GB')).toMatchObject({ variant: 'double-memory', memorySlices: 2, maxCount: 4 });
    expect(oneG35('GB300-278GB')).toMatchObject({ variant: 'base', memorySlices: 1, maxCount: 7 });
  });
});

it('lets a user’s model replace a built-in one of the same name', () => {
  const own = { ...aGpu('A30-24GB'), remarks: ['ours'] };
  const extended = extendCatalogue(builtInCatalogue, [own]);
  expect(extended.models).toHaveLength(models.length);
  expect(extended.models.filter(({ name }) => name === 'A30-24GB')).toEqual([own]);
});

it('lets a user’s model take over a product name', () => {
  const own = { ...aGpu('GB200-186GB'), name: 'GB200-192GB', products: ['nvidia-gb200'] };
  const extended = extendCatalogue(builtInCatalogue, [own]);
  expect(findGpuModel(extended, 'NVIDIA GB200')).toEqual({ kind: 'found', model: own });
});
