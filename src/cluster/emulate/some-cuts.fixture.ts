import fc from 'fast-check';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { type Cut, type Hardware, newHardware, recut } from './hardware.js';

export const migModels = builtInCatalogue.models.filter(({ profiles }) => profiles.length > 0);

/** A node of some model and any cuts of its GPUs: some can be placed, some cannot. */
export const someCuts = fc.record({ model: fc.constantFrom(...migModels), gpus: fc.integer({ min: 1, max: 4 }) }).chain(({ model, gpus }) =>
  fc.record({
    model: fc.constant(model),
    cuts: fc.array(
      fc.option(
        fc.array(fc.constantFrom(...model.profiles.map(({ name }) => name)), { maxLength: 4 }).map((names): Cut => {
          const counts: Record<string, number> = {};
          for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
          return counts;
        }),
      ),
      { minLength: gpus, maxLength: gpus },
    ),
  }),
);

/** A node whose GPUs were cut one after the other, and which of the cuts were refused. */
export function cutAll(model: string, cuts: readonly Cut[]): { readonly hardware: Hardware; readonly refused: readonly boolean[] } {
  let hardware = newHardware('node', { model, gpus: cuts.length });
  const refused = cuts.map((cut, index) => {
    const done = recut('node', hardware, index, cut);
    hardware = done.hardware;
    return done.refused;
  });
  return { hardware, refused };
}
