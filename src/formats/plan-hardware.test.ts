import { describe, expect, it } from 'vitest';
import { builtInCatalogue } from '../gpu/catalogue.js';
import { findPlanModel, findPlanProfile } from './plan-hardware.js';

describe('the hardware a plan names', () => {
  it('is found by its very name', () => {
    const model = findPlanModel(builtInCatalogue.models, 'A100-80GB');
    expect(findPlanProfile(model, '3g.40gb').memorySlices).toBe(4);
    expect(findPlanProfile(model, 'full').memorySlices).toBe(8);
  });

  it('is refused with a code when unknown', () => {
    const model = findPlanModel(builtInCatalogue.models, 'A100-80GB');
    expect(() => findPlanModel(builtInCatalogue.models, 'A100')).toThrow(expect.objectContaining({ code: 'UNKNOWN_GPU' }));
    expect(() => findPlanProfile(model, '3g.39gb')).toThrow(expect.objectContaining({ code: 'UNKNOWN_PROFILE' }));
  });
});
