import type { SeededRandom } from '../../../demand/seeded-random.js';
import type { Cut } from '../../list-cuts.js';
import type { PackingProblem } from '../../packing-problem.js';
import type { ConfigurationSpace } from '../configurations/configuration-space.js';
import type { Configuration } from '../configurations/rank-configurations.js';
import type { ServiceNeeds } from '../configurations/service-needs.js';
import type { ResolvedOptions } from '../strategy-options.js';
import { Path } from './path.js';
import { drawFew, rollOut } from './roll-out.js';

/** What every refill of one search shares. */
export interface RefillTools {
  readonly cuts: readonly Cut[];
  readonly problem: PackingProblem;
  readonly space: ConfigurationSpace;
  readonly options: ResolvedOptions;
  readonly random: SeededRandom;
  /** Slice prices of the bound. */
  readonly sizePrice: Float64Array;
  /** Good configurations by the set of services that are unfinished: what roll-outs draw from. */
  readonly pools: Map<string, readonly Configuration[]>;
  /** Nodes that may still be visited. */
  nodesLeft: number;
}

/** A place in the tree: the configurations that may come next, best first, and what was learnt behind each. */
interface Node {
  readonly children: readonly Configuration[];
  /** Nodes of the first children. */
  readonly nodes: Node[];
  visits: number;
  costs: number;
}

/** Weight of seldom visited children against cheap ones, in GPUs. */
const curiosity = 0.7;

/**
 * Meets the needs with further GPUs at the least cost found: MIG-serving's slow algorithm, a Monte Carlo tree search made
 * for this problem. A node's children are the top K configurations of a few unfinished services drawn by chance; roll-outs
 * draw from pools (see `rollOut`). `used` are GPUs in use by cut. Undefined when no roll-out got within the limits.
 */
export function refill(tools: RefillTools, needs: ServiceNeeds, used: Int32Array): readonly Configuration[] | undefined {
  const { random, options, problem } = tools;
  const services = [...problem.demand.keys()].filter((service) => needs.weight(service) > 0);
  const start = (): Path => new Path(tools, needs, used, services);
  const expand = (path: Path): Node => ({
    children: path.rank(drawFew(random, path.unfinished), options.topK),
    nodes: [],
    visits: 0,
    costs: 0,
  });
  let best: Path | undefined;
  const finish = (path: Path): number => {
    if (!rollOut(tools, path)) return Infinity;
    if (best === undefined || path.cost < best.cost) best = path;
    return path.cost;
  };
  const scale = curiosity * Math.min(...problem.pools.map(({ cost }) => cost));
  finish(start());
  const root = expand(start());
  for (let n = 0; n < options.refillNodes && tools.nodesLeft > 0; n++) {
    tools.nodesLeft--;
    const path = start();
    const way = descend(root, path, expand, scale);
    const cost = finish(path);
    for (const node of way) {
      node.visits++;
      node.costs += cost;
    }
  }
  return best?.taken;
}

/** Goes down the most promising children until a new node is made or nothing is left to do; the nodes on the way. */
function descend(root: Node, path: Path, expand: (path: Path) => Node, scale: number): readonly Node[] {
  const way = [root];
  for (let node = root; ; ) {
    const next = chooseChild(node, scale);
    if (next === undefined) return way;
    path.take(node.children[next] as Configuration);
    const known = node.nodes[next];
    const child = known ?? expand(path);
    way.push(child);
    if (known === undefined) {
      node.nodes.push(child);
      return way;
    }
    node = child;
  }
}

/** The first child without a node, else the one of least cost on the average less a credit for few visits (UCT). */
function chooseChild({ children, nodes, visits }: Node, scale: number): number | undefined {
  if (nodes.length < children.length) return nodes.length;
  let best: number | undefined;
  let bestValue = Infinity;
  for (const [n, child] of nodes.entries()) {
    const value = child.costs / child.visits - scale * Math.sqrt(Math.log(visits) / child.visits);
    if (value < bestValue) [best, bestValue] = [n, value];
  }
  return best;
}
