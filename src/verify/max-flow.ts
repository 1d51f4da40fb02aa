/** An edge of a network that carries at most `capacity`; Infinity where there is no limit. */
export interface FlowEdge {
  readonly from: number;
  readonly to: number;
  readonly capacity: number;
}

/** The value of a maximum flow, and which nodes the source still reaches: the source's side of a minimum cut. */
export interface MaxFlow {
  readonly value: number;
  readonly sourceSide: readonly boolean[];
}

/** Largest flow from one node to another of a network with nodes 0 to `nodeCount` − 1 (Dinic's algorithm). No path may be without a limit. */
export function findMaxFlow(nodeCount: number, edges: readonly FlowEdge[], source: number, sink: number): MaxFlow {
  // Edge 2i is edge i, edge 2i + 1 the way back.
  const heads = edges.flatMap(({ from, to }) => [to, from]);
  const room = edges.flatMap(({ capacity }) => [capacity, 0]);
  const leaving: number[][] = Array.from({ length: nodeCount }, () => []);
  for (const [index, { from, to }] of edges.entries()) {
    leaving[from]?.push(2 * index);
    leaving[to]?.push(2 * index + 1);
  }
  let value = 0;
  for (;;) {
    const levels = findLevels(leaving, heads, room, source);
    if (levels[sink] === -1) return { value, sourceSide: levels.map((level) => level !== -1) };
    value += fillLevels(leaving, heads, room, levels, source, sink);
  }
}

/** Edges from the source to each node by the shortest way with room; -1 where there is none. */
function findLevels(
  leaving: readonly (readonly number[])[],
  heads: readonly number[],
  room: readonly number[],
  source: number,
): readonly number[] {
  const levels = leaving.map(() => -1);
  levels[source] = 0;
  const queue = [source];
  for (const node of queue) {
    for (const edge of leaving[node] ?? []) {
      const to = heads[edge] as number;
      if (levels[to] !== -1 || (room[edge] as number) <= 0) continue;
      levels[to] = (levels[node] as number) + 1;
      queue.push(to);
    }
  }
  return levels;
}

/** Sends flow along shortest ways until each of them is full; answers how much. Without recursion, for graphs are deep. */
function fillLevels(
  leaving: readonly (readonly number[])[],
  heads: readonly number[],
  room: number[],
  levels: readonly number[],
  source: number,
  sink: number,
): number {
  const next = leaving.map(() => 0);
  const path: number[] = [];
  let sent = 0;
  let node = source;
  for (;;) {
    if (node === sink) {
      const amount = path.reduce((least, edge) => Math.min(least, room[edge] as number), Number.POSITIVE_INFINITY);
      for (const edge of path) {
        room[edge] = (room[edge] as number) - amount;
        room[edge ^ 1] = (room[edge ^ 1] as number) + amount;
      }
      sent += amount;
      path.length = 0;
      node = source;
      continue;
    }
    const edges = leaving[node] as readonly number[];
    const edge = edges[next[node] as number];
    if (edge !== undefined) {
      const to = heads[edge] as number;
      if ((room[edge] as number) > 0 && levels[to] === (levels[node] as number) + 1) {
        path.push(edge);
        node = to;
      } else next[node] = (next[node] as number) + 1;
      continue;
    }
    const back = path.pop();
    if (back === undefined) return sent;
    node = heads[back ^ 1] as number;
    next[node] = (next[node] as number) + 1;
  }
}
