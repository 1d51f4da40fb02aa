import { listProductLabels } from '../cluster/serve/choose-nodes.js';
import type { PlanDocument } from '../demand/documents/plan.js';
import type { GpuCatalogue } from '../gpu/gpu-model.js';

/**
 * By which products the nodes of a plan's GPU models are told apart, by model; nothing for a plan of one model. Remarks name the models
 * that cannot be told.
 */
export function findProducts(
  { gpus }: Pick<PlanDocument, 'gpus'>,
  catalogue: GpuCatalogue,
): { readonly products: ReadonlyMap<string, readonly string[]>; readonly remarks: readonly string[] } {
  const models = new Set(gpus.map(({ type }) => type));
  if (models.size < 2) return { products: new Map(), remarks: [] };
  const listed = [...models].sort().map((model) => [model, listProductLabels(model, catalogue, models)] as const);
  const unknown = listed.filter(([, labels]) => labels.length === 0).map(([model]) => model);
  return {
    products: new Map(listed.filter(([, labels]) => labels.length > 0)),
    remarks: unknown.map(
      (model) =>
        `No product of ${model} is known: nothing keeps its pods from nodes of another model that have a profile of the same name. Name its products with --gpu-models FILE.`,
    ),
  };
}
