import type { PackingProblem } from '../../packing-problem.js';
import { lastMile } from '../strategy-options.js';
import type { Part } from './configuration-space.js';

/** Remaining needs below this share of a rate are rounding. */
const settled = 1e-12;

/**
 * How much every service still needs, as a share of its rate: 1 at first, 0 once its rate is met (the papers' 1 − completion,
 * or remaining weight).
 */
export class ServiceNeeds {
  readonly problem: PackingProblem;
  /** Requests per second that each service has been given; more than its rate is possible. */
  readonly #given: Float64Array;
  readonly #weight: Float64Array;
  #unfinished = 0;
  #nearlyDone = 0;

  constructor(problem: PackingProblem, given: Float64Array = new Float64Array(problem.serviceCount)) {
    this.problem = problem;
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
    return new ServiceNeeds(this.problem, this.#given.slice());
  }

  /** What a service still needs, as a share of its rate. */
  weight(service: number): number {
    return this.#weight[service] as number;
  }

  /** Gives a service one instance of a size (`times` −1 takes it back). */
  give(service: number, size: number, times: number): void {
    const { throughput, sizeCount } = this.problem;
    this.#given[service] = (this.#given[service] as number) + times * (throughput[service * sizeCount + size] as number);
    this.#reweigh(service);
  }

  /** What a service would get from a part, as a share of its rate (the papers' utility). */
  utility(service: number, { sizes, counts }: Part): number {
    const { throughput, sizeCount, demand } = this.problem;
    let rps = 0;
    for (let n = 0; n < sizes.length; n++) {
      rps += (counts[n] as number) * (throughput[service * sizeCount + (sizes[n] as number)] as number);
    }
    return rps / (demand[service] as number);
  }

  /** Need times utility; with `capCredit` only what is still needed counts. */
  score(service: number, part: Part, capCredit: boolean): number {
    const weight = this.#weight[service] as number;
    if (weight === 0) return 0;
    const utility = this.utility(service, part);
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
