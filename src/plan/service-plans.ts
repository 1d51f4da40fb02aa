import { type Cover, CoverSearch } from './cheapest-cover.js';
import type { PackingProblem, SlicePrices } from './packing-problem.js';

/** The service plans one service may choose from, cheapest first at the prices they were made with. */
export interface PlanChoice {
  readonly service: number;
  readonly covers: readonly Cover[];
}

/** Service plans at the best prices: each service's cheapest one, and who is undecided between several. */
export interface ServicePlans {
  /** Every service at its cheapest plan, x[i][k] at `i * sizeCount + k`. */
  readonly cheapest: Int32Array;
  /** Services with a second plan, most undecided first: ascending by what the second plan costs more. */
  readonly undecided: readonly { readonly service: number; readonly gap: number }[];
  /** The cheapest plans of one service, at most `keep`, none dearer than the cheapest by more than `reach`. */
  readonly choices: (service: number, keep: number, reach: number) => PlanChoice;
}

/** Of many services only the most undecided matter, so with more than this many second plans are looked for nearer by. */
const servicesAtFullReach = 100;

/** Makes the service plans of a problem at given prices. `reach` limits how much dearer a second plan may be to count. */
export function makeServicePlans(problem: PackingProblem, prices: SlicePrices, reach: number): ServicePlans {
  const { sizeCount, throughput, demand, minCount } = problem;
  const search = new CoverSearch(sizeCount);
  const cheapest = new Int32Array(problem.serviceCount * sizeCount);
  const cost = new Float64Array(problem.serviceCount);
  const near = (i: number, keep: number, within: number): readonly Cover[] =>
    search.near(prices.size, throughput, i * sizeCount, demand[i] as number, minCount[i] as number, (cost[i] as number) + within, keep);
  const secondReach = reach * Math.min(1, servicesAtFullReach / problem.serviceCount) ** 2;
  const undecided: { service: number; gap: number }[] = [];
  for (let i = 0; i < problem.serviceCount; i++) {
    if (demand[i] === 0) continue;
    const best = search.cheapest(prices.size, throughput, i * sizeCount, demand[i] as number, minCount[i] as number);
    cheapest.set(best.counts, i * sizeCount);
    cost[i] = best.cost;
    const [, second] = near(i, 2, secondReach);
    if (second !== undefined) undecided.push({ service: i, gap: Math.max(0, second.cost - best.cost) });
  }
  undecided.sort((a, b) => a.gap - b.gap || a.service - b.service);
  return { cheapest, undecided, choices: (service, keep, within) => ({ service, covers: near(service, keep, within) }) };
}
