import { findGpuModel } from '../../gpu/find-gpu-model.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import type { PodSpec } from '../client/object-types.js';
import { nvidia } from '../objects/names.js';

/**
 * Values of the label `nvidia.com/gpu.product` on nodes with GPUs of a model, sorted: feature discovery writes a product's name with
 * dashes for blanks. A plain model (`H100-80GB`) stands for its variants too, but for those in `besides`. None when the catalogue names
 * no product of it that may be a label.
 */
export function listProductLabels(name: string, catalogue: GpuCatalogue, besides: ReadonlySet<string>): readonly string[] {
  const found = findGpuModel(catalogue, name);
  if (found.kind !== 'found') return [];
  const { model } = found;
  const variants = catalogue.models.filter((one) => one.variantOf === model.name && !besides.has(one.name));
  const labels = [model, ...variants].flatMap(({ products }) => products.map((product) => product.trim().replaceAll(' ', '-')));
  return [...new Set(labels)].filter((label) => /^[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$/.test(label)).sort();
}

interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms: readonly { readonly matchExpressions?: readonly object[] }[];
    };
  };
}

/** The affinity of a pod that may go to nodes of these products only, besides what its template asks for. */
export function writeAffinity(spec: PodSpec, products: readonly string[]): object {
  const affinity = (spec['affinity'] ?? {}) as Affinity;
  const required = affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const own = { key: nvidia.product, operator: 'In', values: products };
  // A node needs to meet one of the terms, so each gets the products.
  const terms = (required?.nodeSelectorTerms ?? [{}]).map((term) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), own],
  }));
  return {
    ...affinity,
    nodeAffinity: { ...affinity.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { ...required, nodeSelectorTerms: terms } },
  };
}
