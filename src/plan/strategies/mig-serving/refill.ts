import type { SeededRandom } from '../../../demand/seeded-random.js';
import type { Cut } from '../../list-cuts.js';
import type { PackingPool, PackingProblem } from '../../packing-problem.js';
import type { ConfigurationSpace, Part } from '../configurations/configuration-space.js';
import { scoreServices } from '../configurations/list-scores.js';
import { type Configuration, rankConfigurations } from '../configurations/rank-configurations.js';
import type { ServiceNeeds } from '../configurations/service-needs.js';
import type { ResolvedOptions } from '../strategy-options.js';

/** What every refill of one search shares. */
export interface RefillTools {
  readonly cuts: readonly Cut[];
  readonly problem: PackingProblem;
  readonly space: ConfigurationSpace;
  readonly options: ResolvedOptions;
  readonly random: SeededRandom;
  /** Good configurations by the set of services that are unfinished: what roll-outs draw from. */
  readonly pools: Map<string, readonly Configuration[]>;
}

/** A place in the tree: the configurations that may come next, best first, and what was learnt behind each. */
interface Node {
  readonly children: readonly Configuration[];
  readonly nodes: Node[];
  visits: number;
  costs: number;
}

/** Unfinished services of which a node's children are made ("a few" in the paper). */
const servicesPerNode = 6;
/** Configurations drawn from a pool at each step of a roll-out; the best of them is taken. */
const draws = 3;
/** Pools remembered before all are forgotten, so that long searches do not fill the memory. */
const mostPools = 20_000;
/** Weight of curiosity in choosing a child, in GPUs. */
const curiosity = 0.7;

/**
 * Meets the needs with further GPUs at the least cost found: MIG-serving's slow algorithm, a Monte Carlo tree search made
 * for this problem. A node's children are the top K configurations of a few unfinished services drawn by chance; a roll-out
 * does not search but draws from the pool of its set of unfinished services. Undefined when no roll-out got within the
 * limits of the cuts. `used` are GPUs in use by cut.
 */
export function refill(tools: RefillTools, needs: ServiceNeeds, used: Int32Array): readonly Configuration[] | undefined {
  const active = [...needs.problem.demand.keys()].filter((service) => needs.weight(service) > 0);
  if (active.length === 0) return [];
  const search = new RefillSearch(tools, active, needs, used);
  search.tryRollOut();
  for (let n = 0; n < tools.options.nodes; n++) search.visit();
  return search.best;
}

class RefillSearch {
  best: readonly Configuration[] | undefined;
  #bestCost = Infinity;
  readonly #tools: RefillTools;
  readonly #active: readonly number[];
  readonly #start: ServiceNeeds;
  readonly #startUsed: Int32Array;
  readonly #root: Node;
  // The path that is being followed.
  #needs: ServiceNeeds;
  #used: Int32Array;
  #path: Configuration[] = [];
  #cost = 0;

  constructor(tools: RefillTools, active: readonly number[], needs: ServiceNeeds, used: Int32Array) {
    this.#tools = tools;
    this.#active = active;
    this.#start = needs;
    this.#startUsed = used;
    this.#needs = needs;
    this.#used = used;
    this.#reset();
    this.#root = this.#expand();
  }

  /** One roll-out from the start, so that there is an answer even without any node. */
  tryRollOut(): void {
    this.#reset();
    this.#rollOut();
  }

  /** Goes down to a new node, rolls out from there, and tells every node on the way what it cost. */
  visit(): void {
    this.#reset();
    const way = [this.#root];
    let node = this.#root;
    for (;;) {
      const next = this.#nextChild(node);
      if (next === undefined) break;
      this.#take(node.children[next] as Configuration);
      const known = node.nodes[next];
      node = known ?? this.#expand();
      if (known === undefined) way[way.length - 1]?.nodes.push(node);
      way.push(node);
      if (known === undefined) break;
    }
    const cost = this.#rollOut();
    for (const passed of way) {
      passed.visits++;
      passed.costs += cost;
    }
  }

  #reset(): void {
    this.#needs = this.#start.fork();
    this.#used = this.#startUsed.slice();
    this.#path = [];
    this.#cost = 0;
  }

  #unfinished(): number[] {
    return this.#active.filter((service) => this.#needs.weight(service) > 0);
  }

  #expand(): Node {
    const { random, options } = this.#tools;
    const few = this.#unfinished();
    for (let n = 0; n < few.length && n < servicesPerNode; n++) {
      const other = n + random.below(few.length - n);
      [few[n], few[other]] = [few[other] as number, few[n] as number];
    }
    return { children: this.#rank(few.slice(0, servicesPerNode), options.topK), nodes: [], visits: 0, costs: 0 };
  }

  #rank(services: readonly number[], keep: number): readonly Configuration[] {
    const { space, options } = this.#tools;
    const score = (service: number, part: number): number =>
      this.#needs.score(service, space.parts[part] as Part, options.capCredit);
    return rankConfigurations(space, scoreServices(services, score), options.maxMix, keep, ({ cut }) => this.#isOpen(cut));
  }

  /** The first child without a node, else the most promising one: low cost so far, or seldom looked at. */
  #nextChild({ children, nodes, visits }: Node): number | undefined {
    if (nodes.length < children.length) return nodes.length;
    let best: number | undefined;
    let bestValue = Infinity;
    for (const [n, child] of nodes.entries()) {
      const value = child.costs / child.visits - curiosity * Math.sqrt(Math.log(visits) / child.visits);
      if (value < bestValue) [best, bestValue] = [n, value];
    }
    return best;
  }

  #isOpen(cut: number): boolean {
    return (this.#used[cut] as number) < (this.#tools.cuts[cut] as Cut).limit;
  }

  #take(configuration: Configuration): void {
    const { problem, space, cuts } = this.#tools;
    for (const { service, part } of configuration.shares) {
      const { sizes, counts } = space.parts[part] as Part;
      for (const [n, size] of sizes.entries()) this.#needs.give(service, size, counts[n] as number);
    }
    (this.#used[configuration.cut] as number)++;
    this.#cost += (problem.pools[(cuts[configuration.cut] as Cut).pool] as PackingPool).cost;
    this.#path.push(configuration);
  }

  /** Finishes the path from the pools; the cost of the whole, Infinity beyond the limits. Remembers the cheapest path. */
  #rollOut(): number {
    while (this.#needs.unfinished > 0) {
      const next = this.#draw();
      if (next === undefined) return Infinity;
      this.#take(next);
    }
    if (this.#cost < this.#bestCost) {
      this.#bestCost = this.#cost;
      this.best = this.#path;
    }
    return this.#cost;
  }

  #draw(): Configuration | undefined {
    const { random, options, pools } = this.#tools;
    const services = this.#unfinished();
    const key = services.join();
    let pool = pools.get(key);
    if (pool === undefined) {
      if (pools.size >= mostPools) pools.clear();
      pool = this.#rank(services, options.topK);
      pools.set(key, pool);
    }
    const open = pool.filter(({ cut }) => this.#isOpen(cut));
    if (open.length === 0) return this.#rank(services, 1)[0];
    let best: Configuration | undefined;
    let bestScore = -1;
    for (let n = 0; n < draws; n++) {
      const drawn = open[random.below(open.length)] as Configuration;
      const score = this.#scoreNow(drawn);
      if (score > bestScore) [best, bestScore] = [drawn, score];
    }
    return best;
  }

  #scoreNow({ shares, cut }: Configuration): number {
    const { space, options, problem, cuts } = this.#tools;
    const cost = (problem.pools[(cuts[cut] as Cut).pool] as PackingPool).cost;
    return shares.reduce((sum, { service, part }) => sum + this.#needs.score(service, space.parts[part] as Part, options.capCredit), 0) / cost;
  }
}
