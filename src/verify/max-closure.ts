import { type FlowEdge, findMaxFlow } from './max-flow.js';

/** A heaviest closed set: its weight, 0 or more, and its members. */
export interface MaxClosure {
  readonly weight: number;
  readonly members: readonly number[];
}

/**
 * The heaviest set of nodes that holds, with each node, all nodes it requires; the empty set weighs 0. By minimum cut
 * (Picard 1976): gains hang on the source, losses on the sink, requirements cannot be cut.
 */
export function findMaxClosure(weights: readonly number[], requires: readonly (readonly number[])[]): MaxClosure {
  const source = weights.length;
  const sink = source + 1;
  const edges: FlowEdge[] = requires.flatMap((others, from) => others.map((to) => ({ from, to, capacity: Number.POSITIVE_INFINITY })));
  let gains = 0;
  for (const [node, weight] of weights.entries()) {
    if (weight > 0) {
      gains += weight;
      edges.push({ from: source, to: node, capacity: weight });
    }
    if (weight < 0) edges.push({ from: node, to: sink, capacity: -weight });
  }
  const { value, sourceSide } = findMaxFlow(sink + 1, edges, source, sink);
  return { weight: gains - value, members: weights.flatMap((_, node) => (sourceSide[node] ? [node] : [])) };
}
