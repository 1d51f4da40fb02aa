import { closestNames } from './closest-names.js';
import type { GpuCatalogue, GpuModel } from './gpu-model.js';
import { normalizeGpuName } from './normalize-gpu-name.js';

/** What a written GPU name means. */
export type GpuModelSearch =
  | { readonly kind: 'found'; readonly model: GpuModel }
  /** Known names that look like it, best first; may be empty. */
  | { readonly kind: 'unknown'; readonly suggestions: readonly string[] }
  /** The name is a short form of several models. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly string[] };

/**
 * Finds a GPU model by canonical name, product name, `nvidia.com/gpu.product` label or an unambiguous short form (`H200`).
 * Case, spaces, dashes, a leading NVIDIA and the label suffixes `-MIG-<profile>` and `-SHARED` do not matter.
 * A canonical name wins over a product name, and that over a short form.
 */
export function findGpuModel(catalogue: GpuCatalogue, name: string): GpuModelSearch {
  const wanted = normalizeGpuName(name);
  const { models } = catalogue;
  const matches = [
    models.filter((model) => normalizeGpuName(model.name) === wanted),
    models.filter((model) => model.products.some((product) => normalizeGpuName(product) === wanted)),
    models.filter((model) => shortForms(model.name).includes(wanted)),
  ].find((found) => found.length > 0);
  const [model, ...others] = matches ?? [];
  if (model === undefined) {
    const known = models.map((other) => other.name);
    return { kind: 'unknown', suggestions: closestNames(name, known, normalizeGpuName) };
  }
  if (others.length > 0) return { kind: 'ambiguous', candidates: [model, ...others].map((candidate) => candidate.name) };
  return { kind: 'found', model };
}

/** `RTX-PRO-6000-96GB` may be called RTX-PRO-6000, RTX-PRO and RTX, as long as no other model can. */
function shortForms(name: string): readonly string[] {
  const parts = name.split('-');
  return parts.slice(1).map((_, index) => normalizeGpuName(parts.slice(0, index + 1).join('-')));
}
