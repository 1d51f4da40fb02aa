import { entryOf } from '../../demand/entry-of.js';
import { unresolvedGpu } from '../../demand/name-problems.js';
import { type Problem, problem } from '../../errors.js';
import { findGpuModel } from '../../gpu/find-gpu-model.js';
import type { GpuCatalogue, GpuModel } from '../../gpu/gpu-model.js';
import { asksForGpu, type Backend, type Backends } from '../backends/backend.js';
import type { Node, Pod } from '../client/object-types.js';
import type { GpuPool } from '../objects/gpu-pool.js';
import type { ClusterView } from '../observe/cluster-view.js';
import { createModelCheck } from './check-model.js';
import { type ObservedNode, readNode } from './read-node.js';

/** A pool with its nodes; one with problems cannot be planned on. */
export interface ObservedPool {
  readonly pool: GpuPool;
  readonly model?: GpuModel;
  /** Absent for a backend that nobody knows. */
  readonly backend?: Backend;
  readonly nodes: readonly ObservedNode[];
  /** Driver's name of a profile where it differs from the catalogue's. */
  readonly names: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

/** Reads the nodes of every pool, pools by name. */
export function readHardware(
  view: ClusterView,
  { catalogue, backends, nowMs }: { readonly catalogue: GpuCatalogue; readonly backends: Backends; readonly nowMs: number },
): readonly ObservedPool[] {
  const states = new Map(view.nodeStates.map((state) => [state.metadata.name, state]));
  const podsOf = new Map<string, Pod[]>();
  for (const pod of view.pods) if (pod.spec.nodeName !== undefined) entryOf(podsOf, pod.spec.nodeName, () => []).push(pod);
  const pools = view.pools.toSorted((a, b) => compare(a.metadata.name, b.metadata.name));
  const claims = new Map<string, string[]>();
  const members = pools.map((pool) => {
    const nodes = view.nodes.filter((node) => isSelected(node, pool.spec.nodeSelector));
    for (const node of nodes) entryOf(claims, node.metadata.name, () => []).push(pool.metadata.name);
    return nodes.sort((a, b) => compare(a.metadata.name, b.metadata.name));
  });
  const checkModel = createModelCheck(catalogue);
  return pools.map((pool, g): ObservedPool => {
    const found = findGpuModel(catalogue, pool.spec.gpu);
    const problems = findClaimedTwice(pool, members[g] as Node[], claims);
    if (found.kind !== 'found')
      return { pool, nodes: [], names: new Map(), problems: [...problems, unresolvedGpu(found, pool.spec.gpu, { path: 'spec.gpu' })] };
    const { model } = found;
    const backend = backends.get(pool.spec.backend);
    if (backend === undefined) return { pool, model, nodes: [], names: new Map(), problems: [...problems, unknownBackend(pool, backends)] };
    const isForeign = (pod: Pod) => pod.metadata.labels?.['app.kubernetes.io/managed-by'] !== 'inlay' && asksForGpu(pod, backends);
    const nodes = (members[g] as Node[]).map((node) => {
      const { name } = node.metadata;
      const state = states.get(name);
      const config = state === undefined ? backend.readLayouts(node, pool, view) : undefined;
      const there = podsOf.get(name) ?? [];
      const hasForeignPods = there.some(isForeign);
      const stranger = checkModel(model, { node, state, pods: there });
      const offer = backend.allocation.readOffer(node, view);
      return readNode(node, { pool, model, backend, offer, state, config, hasForeignPods, stranger, nowMs });
    });
    const names = new Map<string, string>();
    return { pool, model, backend, nodes, names, problems: [...problems, ...joinNames(pool, nodes, names)] };
  });
}

function unknownBackend({ spec }: GpuPool, backends: Backends): Problem {
  return problem('BACKEND_UNKNOWN', {
    message: `There is no backend ${spec.backend}.`,
    path: 'spec.backend',
    expected: [...backends.keys()].join(', '),
    received: spec.backend,
  });
}

function isSelected({ metadata: { labels = {} } }: Node, selector: Readonly<Record<string, string>>): boolean {
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

function findClaimedTwice(
  { metadata: { name } }: GpuPool,
  nodes: readonly Node[],
  claims: ReadonlyMap<string, readonly string[]>,
): Problem[] {
  for (const node of nodes) {
    const others = (claims.get(node.metadata.name) ?? []).filter((other) => other !== name);
    if (others.length === 0) continue;
    return [
      problem('NODE_CLAIMED_TWICE', {
        message: `Node ${node.metadata.name} belongs to the pools ${[name, ...others].sort().join(' and ')}.`,
        path: 'spec.nodeSelector',
        expected: 'labels that only nodes of this pool have',
      }),
    ];
  }
  return [];
}

/** Nodes whose drivers name one profile differently offer different resources: they cannot be one pool. */
function joinNames(pool: GpuPool, nodes: readonly ObservedNode[], names: Map<string, string>): Problem[] {
  const plain = new Map<string, string>();
  for (const { name: node, names: own, gpus } of nodes) {
    const used = new Set(gpus.flatMap(({ migEnabled, instances }) => (migEnabled ? instances.map(({ profile }) => profile) : [])));
    for (const profile of used) {
      const spelled = own.get(profile) ?? profile;
      const before = plain.get(profile);
      if (before !== undefined && before !== spelled) {
        return [
          problem('PROFILE_SETS_DIFFER', {
            message: `The nodes of pool ${pool.metadata.name} name one profile differently: ${before}, and on ${node} ${spelled}.`,
            path: 'spec.nodeSelector',
            expected: 'nodes with the same profiles',
          }),
        ];
      }
      plain.set(profile, spelled);
      if (spelled !== profile) names.set(profile, spelled);
    }
  }
  return [];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
