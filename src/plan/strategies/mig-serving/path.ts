import type { Cut } from '../../list-cuts.js';
import type { PackingPool } from '../../packing-problem.js';
import type { Part } from '../configurations/configuration-space.js';
import { hasLastMile } from '../configurations/fill-greedily.js';
import { scoreServices } from '../configurations/list-scores.js';
import { type Configuration, rankConfigurations } from '../configurations/rank-configurations.js';
import type { ServiceNeeds } from '../configurations/service-needs.js';
import type { RefillTools } from './refill.js';

/** A refill in the making: the configurations taken so far and what is still needed. */
export class Path {
  readonly taken: Configuration[] = [];
  /** Price of the GPUs taken and, so that of two equally dear paths the one that uses less counts less, of the slices used on them. */
  cost = 0;
  readonly #tools: RefillTools;
  readonly #needs: ServiceNeeds;
  readonly #used: Int32Array;
  #unfinished: readonly number[];

  /** A path that starts from given needs of given services, beside GPUs in use by cut; copies both. */
  constructor(tools: RefillTools, needs: ServiceNeeds, used: Int32Array, services: readonly number[]) {
    this.#tools = tools;
    this.#needs = needs.fork();
    this.#used = used.slice();
    this.#unfinished = services;
  }

  /** Services that still need something, ascending. */
  get unfinished(): readonly number[] {
    return this.#unfinished;
  }

  isOpen({ cut }: { readonly cut: number }): boolean {
    return (this.#used[cut] as number) < (this.#tools.cuts[cut] as Cut).limit;
  }

  take(configuration: Configuration): void {
    const { space, sizePrice } = this.#tools;
    this.cost += this.#priceOf(configuration);
    for (const { service, part } of configuration.shares) {
      const { sizes, counts } = space.parts[part] as Part;
      for (const [n, size] of sizes.entries()) {
        this.#needs.give(service, size, counts[n] as number);
        this.cost += (counts[n] as number) * (sizePrice[size] as number);
      }
    }
    (this.#used[configuration.cut] as number)++;
    this.taken.push(configuration);
    this.#unfinished = this.#unfinished.filter((service) => this.#needs.weight(service) > 0);
  }

  /** The best configurations of some services as things are. */
  rank(services: readonly number[], keep: number): readonly Configuration[] {
    const { space, options } = this.#tools;
    const scores = scoreServices(services, (service, part) => this.#needs.score(service, part, options.capCredit));
    const mix = hasLastMile(this.#needs) ? options.lastMix : options.maxMix;
    return rankConfigurations(space, scores, mix, keep, (layout) => this.isOpen(layout));
  }

  /** The score that a configuration has as things are. */
  score(configuration: Configuration): number {
    const { capCredit } = this.#tools.options;
    const sum = configuration.shares.reduce((total, { service, part }) => total + this.#needs.score(service, part, capCredit), 0);
    return sum / this.#priceOf(configuration);
  }

  #priceOf({ cut }: Configuration): number {
    const { problem, cuts } = this.#tools;
    return (problem.pools[(cuts[cut] as Cut).pool] as PackingPool).cost;
  }
}
