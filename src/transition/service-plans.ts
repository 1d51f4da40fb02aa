import { BoundedCoverSearch } from './bounded-cover.js';
import { countStarts } from './target-counts.js';
import type { ServiceItems, ServicePlan } from './target-problem.js';

/** Prices of what service plans use. */
export interface TargetPrices {
  /** Of a slot, by size. */
  readonly size: Float64Array;
  /** Of a pod that stays, by type. */
  readonly type: Float64Array;
  /** Of a new pod. */
  readonly start: number;
}

/** What a plan may cost at some prices. */
export interface PlanBudget {
  readonly prices: TargetPrices;
  readonly limit: number;
}

/** The plans of one service: the cheapest at given prices, and all that keep given budgets. */
export class ServicePlanSearch {
  readonly #service: number;
  readonly #items: ServiceItems;
  readonly #search: BoundedCoverSearch;

  constructor(service: number, items: ServiceItems) {
    this.#service = service;
    this.#items = items;
    this.#search = new BoundedCoverSearch(
      items.items.map(({ point, limit }) => ({ rps: point.plannedRps, limit })),
      items.demand,
      items.minCount,
    );
  }

  /** The cheapest plan, its cost, and a proven lower limit on the cost of every plan. */
  cheapest(prices: TargetPrices): { readonly plan: ServicePlan; readonly cost: number; readonly lower: number } {
    const found = this.#search.cheapest(this.#itemPrices(prices));
    if (found === undefined) throw new Error('a demand without a cover was not refused before');
    return { plan: this.#toPlan(found.counts), cost: found.cost, lower: found.lower };
  }

  /** Every plan without a pod to spare that keeps all budgets; undefined when there are more than `most`. */
  within(budgets: readonly PlanBudget[], most: number): ServicePlan[] | undefined {
    const found = this.#search.within(
      budgets.map(({ prices, limit }) => ({ price: this.#itemPrices(prices), limit })),
      most,
    );
    return found?.map((counts) => this.#toPlan(counts));
  }

  #itemPrices({ size, type, start }: TargetPrices): Float64Array {
    return Float64Array.from(
      this.#items.items,
      (item) => (size[item.size] as number) + (item.type < 0 ? start : (type[item.type] as number)),
    );
  }

  #toPlan(counts: Int32Array): ServicePlan {
    return { service: this.#service, counts, starts: countStarts(this.#items, counts) };
  }
}

/** Tells equal plans apart from others. */
export function planKey({ service, counts }: ServicePlan): string {
  return `${service}:${counts.join(',')}`;
}
