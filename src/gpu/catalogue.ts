import { ampereModels } from './catalogue/ampere.js';
import { blackwellModels } from './catalogue/blackwell.js';
import { hopperModels } from './catalogue/hopper.js';
import { withoutMigModels } from './catalogue/without-mig.js';
import type { GpuCatalogue, GpuModel } from './gpu-model.js';
import { normalizeGpuName } from './normalize-gpu-name.js';

/** Every GPU model that comes with Inlay. To add one, add a row with its sources to a file of `catalogue/`. */
export const builtInCatalogue: GpuCatalogue = { models: [...ampereModels, ...hopperModels, ...blackwellModels, ...withoutMigModels] };

/** The catalogue with a user's models added: they replace models of the same name and take over the product names they claim. */
export function extendCatalogue(catalogue: GpuCatalogue, models: readonly GpuModel[]): GpuCatalogue {
  const added = new Set(models.map((model) => model.name));
  const claimed = new Set(models.flatMap((model) => model.products.map(normalizeGpuName)));
  const kept = catalogue.models
    .filter((model) => !added.has(model.name))
    .map((model) => ({ ...model, products: model.products.filter((product) => !claimed.has(normalizeGpuName(product))) }));
  return { models: [...kept, ...models] };
}
