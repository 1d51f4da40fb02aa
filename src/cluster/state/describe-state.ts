import type { StateDocument } from '../../demand/documents/state.js';
import type { Problem } from '../../errors.js';
import { problem } from '../../errors.js';
import { findGpuModel } from '../../gpu/find-gpu-model.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import type { Backends } from '../backends/backend.js';
import { buildState, type Guarantees } from '../decide/build-state.js';
import { locatePods } from '../decide/locate-pods.js';
import { createMemory } from '../decide/memory.js';
import { type ObservedPool, readHardware } from '../decide/read-hardware.js';
import { type ReadWorkload, readWorkloads } from '../decide/read-workloads.js';
import type { GpuPool } from '../objects/gpu-pool.js';
import { groupVersion, nvidia } from '../objects/names.js';
import type { ClusterView } from '../observe/cluster-view.js';

/** A cluster as a State, and what should be known of it. */
export interface DescribedState {
  readonly document: StateDocument;
  readonly notes: readonly Problem[];
}

/**
 * What runs on the GPUs of a cluster, as the operator sees it; GPUs of every pool in one document. In a cluster without
 * GpuPools each GPU model is a pool, named after the model in lower case.
 */
export function describeState(
  view: ClusterView,
  name: string,
  { catalogue, backends, nowMs }: { readonly catalogue: GpuCatalogue; readonly backends: Backends; readonly nowMs: number },
): DescribedState {
  const isInvented = view.pools.length === 0;
  const seen = isInvented ? { ...view, pools: inventPools(view, catalogue, backends) } : view;
  const pools = countNodesOnce(readHardware(seen, { catalogue, backends, nowMs }));
  const workloads = readWorkloads(seen, pools, catalogue, createMemory());
  const pods = locatePods(seen, pools, backends);
  const document = buildState({ name, pools, workloads }, pods, listDemand(seen, workloads));
  const blind = pools.flatMap(({ nodes }) => nodes.filter(({ source }) => source !== 'agent'));
  const notes = pools.flatMap((pool) => [...pool.problems, ...pool.nodes.flatMap((node) => node.problems)]);
  const [first] = blind;
  if (first === undefined) return { document, notes };
  const message =
    blind.length === 1
      ? `No agent reports from node ${first.name}: which pod holds which instance there is a guess.`
      : `No agent reports from ${blind.length} nodes, such as ${first.name}: which pod holds which instance there is a guess.`;
  return { document, notes: [...notes, problem('AGENT_MISSING', { message })] };
}

/** A node that two pools claim is shown in the first of them. */
function countNodesOnce(pools: readonly ObservedPool[]): readonly ObservedPool[] {
  const taken = new Set<string>();
  return pools.map((pool) => {
    const nodes = pool.nodes.filter(({ name }) => !taken.has(name));
    for (const { name } of nodes) taken.add(name);
    return { ...pool, nodes };
  });
}

function inventPools(view: ClusterView, catalogue: GpuCatalogue, backends: Backends): readonly GpuPool[] {
  // Nothing is done about these: any backend that leaves the doing to a person says enough.
  const backend = [...backends.values()].find(({ executor }) => executor === 'person')?.name as GpuPool['spec']['backend'];
  const products = new Set(view.nodes.flatMap(({ metadata }) => metadata.labels?.[nvidia.product] ?? []));
  return [...products].sort().map((product): GpuPool => {
    const found = findGpuModel(catalogue, product);
    const model = found.kind === 'found' ? found.model.name : product;
    return {
      apiVersion: groupVersion,
      kind: 'GpuPool',
      metadata: { name: model.toLowerCase() },
      spec: { gpu: model, nodeSelector: { [nvidia.product]: product }, backend, namespaces: ['*'] },
    };
  });
}

/** The demand that services can count on: of the plan that is carried out, and for a service without one that of its workload. */
function listDemand({ plans }: ClusterView, workloads: readonly ReadWorkload[]): Guarantees {
  const active = plans.filter(({ status }) => status?.phase === 'Applying' || status?.phase === 'Ready');
  const sorted = active.toSorted((one, other) => one.spec.sequence - other.spec.sequence);
  const rates = new Map(sorted.flatMap(({ spec }) => spec.services.map(({ key, rateRps }) => [key, rateRps] as const)));
  return new Map(
    workloads.flatMap(({ services }) =>
      services.map(({ name, model, rateRps, latencyMs }) => [name, { model, latencyMs, rateRps: rates.get(name) ?? rateRps }] as const),
    ),
  );
}
