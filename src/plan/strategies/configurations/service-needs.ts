import type { PackingProblem } from '../../packing-problem.js';
import { lastMile } from '../strategy-options.js';
import type { ConfigurationSpace } from './configuration-space.js';

/** Remaining needs below this share of a rate are rounding. */
const settled = 1e-12;

/**
 * How much every service still needs, as a share of its rate: 1 at first, 0 once its rate is met (the papers' 1 − completion,
 * or remaining weight).
 */
export class ServiceNeeds {
  readonly problem: PackingProblem;
  readonly space: ConfigurationSpace;
  /** Requests per second that each service has been given; more than its rate is possible. */
  readonly #given: Float64Array;
  readonly #weight: Float64Array;
  #unfinished = 0;
  #nearlyDone = 0;

  constructor(problem: PackingProblem, space: ConfigurationSpace, given: Float64Array = new Float64Array(problem.serviceCount)) {
    this.problem = problem;
    this.space = space;
    this.#given = given;
    this.#weight = new Float64Array(problem.serviceCount);
    for (let i = 0; i < problem.serviceCount; i++) this.#reweigh(i);
  }

  /** Services that still need something. */
  get unfinished(): number {
    return this.#unfinished;
  }

  /** Services that still need something, but no more than the last mile. */
  get nearlyDone(): number {
    return this.#nearlyDone;
  }

  /** The needs as they are now, to be changed apart. */
  fork(): ServiceNeeds {
    return new ServiceNeeds(this.problem, this.space, this.#given.slice());
  }

  /** What a service still needs, as a share of its rate. */
  weight(service: number): number {
    return this.#weight[service] as number;
  }

  /** Gives a service so many instances of a size. */
  give(service: number, size: number, count: number): void {
    const { throughput, sizeCount } = this.problem;
    this.#given[service] = (this.#given[service] as number) + count * (throughput[service * sizeCount + size] as number);
    this.#reweigh(service);
  }

  /** Need times utility of a part; with `capCredit` only what is still needed counts. */
  score(service: number, part: number, capCredit: boolean): number {
    const weight = this.#weight[service] as number;
    if (weight === 0) return 0;
    const utility = this.space.utility[service * this.space.parts.length + part] as number;
    return weight * (capCredit && utility > weight ? weight : utility);
  }

  #reweigh(service: number): void {
    const demand = this.problem.demand[service] as number;
    const before = this.#weight[service] as number;
    const left = demand === 0 ? 0 : 1 - (this.#given[service] as number) / demand;
    const weight = left > settled ? left : 0;
    this.#weight[service] = weight;
    this.#unfinished += Number(weight > 0) - Number(before > 0);
    this.#nearlyDone += Number(isNearlyDone(weight)) - Number(isNearlyDone(before));
  }
}

function isNearlyDone(weight: number): boolean {
  return weight > 0 && weight <= lastMile;
}
