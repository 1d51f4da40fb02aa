import { describe, expect, it } from 'vitest';
import { baseProfiles } from './base-profiles.js';
import { builtInCatalogue, extendCatalogue } from './catalogue.js';
import { findGpuModel } from './find-gpu-model.js';
import { gpuModelsSchema, toGpuModels } from './gpu-models-document.js';
import { undominatedLayouts } from './layouts.js';

const chip = {
  name: 'Example-2-48GB',
  computeSlices: 2,
  memorySlices: 2,
  memoryMiB: 48_000,
  products: ['Example Accelerator 48GB'],
  pciIds: ['abcd'],
  profiles: [
    { name: '2g.48gb', computeSlices: 2, memorySlices: 2, starts: [0], memoryMiB: 47_000 },
    { name: '1g.24gb', computeSlices: 1, memorySlices: 1, starts: [1, 0], memoryMiB: 23_000 },
  ],
};
const read = (...models: readonly object[]) =>
  toGpuModels(
    gpuModelsSchema.parse({ apiVersion: 'inlay.dev/v1alpha1', kind: 'GpuModels', metadata: { name: 'ours' }, spec: { models } }),
    builtInCatalogue.models,
  );

describe('GPU models of a user', () => {
  it('work like built-in ones', () => {
    const { models, problems } = read(chip);
    expect(problems).toEqual([]);
    const found = findGpuModel(extendCatalogue(builtInCatalogue, models), 'example accelerator 48gb');
    if (found.kind !== 'found') throw new Error('not found');
    expect(found.model.pciIds).toEqual(['ABCD']);
    expect(found.model.profiles.map(({ name, starts, maxCount }) => ({ name, starts, maxCount }))).toEqual([
      { name: '1g.24gb', starts: [0, 1], maxCount: 2 },
      { name: '2g.48gb', starts: [0], maxCount: 1 },
    ]);
    expect(undominatedLayouts(found.model, baseProfiles(found.model)).map(({ counts }) => counts)).toEqual([
      [0, 1],
      [2, 0],
    ]);
  });

  it('need no profiles when the GPU has no MIG', () => {
    const { models, problems } = read({ name: 'Example-16GB', memoryMiB: 16_000, sms: 40 });
    expect(problems).toEqual([]);
    expect(models[0]).toMatchObject({
      computeSlices: 1,
      memorySlices: 1,
      profiles: [],
      full: { name: 'full', memoryMiB: { value: 16_000 } },
    });
  });

  it('are checked as tables, all problems at once', () => {
    const [whole, one] = chip.profiles;
    const { problems } = read({
      ...chip,
      profiles: [
        { ...whole, starts: [1], computeSlices: 3 },
        { ...one, maxCount: 3 },
        { ...one, memoryMiB: 49_000, engines: { decoder: 1 } },
      ],
    });
    expect(problems.map(({ code, path, expected, received }) => ({ code, path, expected, received }))).toMatchInlineSnapshot(`
      [
        {
          "code": "INVALID_VALUE",
          "expected": "at most 2",
          "path": "spec.models[0].profiles[0].computeSlices",
          "received": "3",
        },
        {
          "code": "INVALID_VALUE",
          "expected": "at most 0",
          "path": "spec.models[0].profiles[0].starts[0]",
          "received": "1",
        },
        {
          "code": "INVALID_VALUE",
          "expected": "at most 2",
          "path": "spec.models[0].profiles[1].maxCount",
          "received": "3",
        },
        {
          "code": "INVALID_VALUE",
          "expected": "at most 48000",
          "path": "spec.models[0].profiles[2].memoryMiB",
          "received": "49000",
        },
        {
          "code": "INVALID_VALUE",
          "expected": "at most 0",
          "path": "spec.models[0].profiles[2].engines.decoder",
          "received": "1",
        },
        {
          "code": "DUPLICATE_NAME",
          "expected": undefined,
          "path": "spec.models[0].profiles[2].name",
          "received": undefined,
        },
      ]
    `);
  });

  it('may not name a plain model that does not exist', () => {
    expect(read({ ...chip, variantOf: 'H100-80GB' }).problems).toEqual([]);
    expect(read({ ...chip, variantOf: 'Z9' }).problems).toMatchObject([{ code: 'UNKNOWN_GPU', path: 'spec.models[0].variantOf' }]);
  });

  it('have names of their own', () => {
    expect(read(chip, chip).problems).toMatchObject([{ code: 'DUPLICATE_NAME' }, { code: 'DUPLICATE_NAME' }]);
  });

  it('may replace a built-in model', () => {
    expect(read({ ...chip, name: 'A30-24GB' }).problems).toEqual([]);
  });
});
