import { type Problem, problem } from '../../errors.js';
import { findGpuModel } from '../../gpu/find-gpu-model.js';
import type { GpuCatalogue, GpuModel } from '../../gpu/gpu-model.js';
import type { Node, Pod } from '../client/object-types.js';
import { labels, managedBy, modelLabel, nvidia } from '../objects/names.js';
import type { NodeState } from '../objects/node-state.js';

/** What is known of the GPUs of a node and of what runs there. */
export interface ModelFacts {
  readonly node: Node;
  readonly state: NodeState | undefined;
  readonly pods: readonly Pod[];
}

/**
 * A check whether a node has what its pool says: by its products, and by the pods that run there. A product that the catalogue does not
 * know, or that several models have, says nothing.
 */
export function createModelCheck(catalogue: GpuCatalogue): (model: GpuModel, facts: ModelFacts) => Problem | undefined {
  const known = new Map<string, GpuModel | undefined>();
  const modelOf = (product: string): GpuModel | undefined => {
    if (known.has(product)) return known.get(product);
    const found = findGpuModel(catalogue, product);
    const model = found.kind === 'found' ? found.model : undefined;
    known.set(product, model);
    return model;
  };
  const isOf = (product: string, { name, variantOf }: GpuModel): boolean => {
    const found = modelOf(product);
    return found === undefined || found.name === name || found.variantOf === name || found.name === variantOf;
  };
  return (model, { node: { metadata }, state, pods }) => {
    const label = metadata.labels?.[nvidia.product];
    const products = state?.spec.gpus.map(({ product }) => product) ?? (label === undefined ? [] : [label]);
    const stranger = products.find((product) => !isOf(product, model));
    if (stranger !== undefined) return describe(metadata.name, `has ${stranger}`, model, stranger);
    const own = modelLabel(model.name);
    const pod = pods.find((one) => madeFor(one) !== undefined && madeFor(one) !== own);
    return pod && describe(metadata.name, `has pods for ${madeFor(pod)}`, model, `pod ${pod.metadata.name}`);
  };
}

/** The model, as a label, that an own pod was made for; undefined for pods of others and those that have ended. */
function madeFor({ metadata: { labels: own = {} }, status }: Pod): string | undefined {
  const isOwn = own['app.kubernetes.io/managed-by'] === managedBy['app.kubernetes.io/managed-by'];
  return isOwn && status?.phase !== 'Failed' && status?.phase !== 'Succeeded' ? own[labels.gpuModel] : undefined;
}

function describe(node: string, has: string, model: GpuModel, received: string): Problem {
  return problem('NODE_OF_OTHER_MODEL', {
    message: `Node ${node} ${has}, and its pool is of ${model.name}.`,
    path: `nodes/${node}`,
    expected: model.name,
    received,
  });
}
