import type { Draft, Mutation, Pick } from './layout-mutations.fixture.js';
import { concludePlan } from './plan.fixture.js';

/** Edits the prices of one pool of the certificate. */
const onPrices =
  (change: (prices: Record<string, number>, pool: string, draft: Draft) => false | undefined) => (draft: Draft, pick: Pick) => {
    const pools = Object.entries(draft.bound.certificate.slicePrices);
    const [name, prices] = pick(pools);
    return change(prices, name, draft);
  };

/** Ways to break what a plan claims: totals, prices, bound and optimality. */
export const claimMutations: readonly Mutation[] = [
  {
    name: 'count fewer GPUs',
    check: 'totals',
    apply: (draft) => {
      if (draft.totals.gpus === 0) return false;
      draft.totals.gpus -= 1;
    },
  },
  {
    name: 'state a lower cost',
    check: 'totals',
    apply: (draft) => {
      if (draft.totals.cost === 0) return false;
      draft.totals.cost *= 0.9;
    },
  },
  {
    name: 'count fewer instances',
    check: 'totals',
    apply: (draft) => {
      if (draft.totals.instances === 0) return false;
      draft.totals.instances -= 1;
    },
  },
  {
    name: 'state a common factor that is not delivered',
    check: 'totals',
    apply: (draft) => {
      draft.totals.factor = (draft.totals.factor ?? 1) * 1.01;
    },
  },
  {
    name: 'state factors that are not delivered',
    check: 'services',
    apply: (draft) => {
      const deliverable = Math.min(
        ...draft.services.filter(({ rateRps }) => rateRps > 0).map((one) => one.plannedCapacityRps / one.rateRps),
      );
      if (!Number.isFinite(deliverable)) return false;
      for (const service of draft.services) service.factor = deliverable * 1.01;
      draft.totals.factor = deliverable * 1.01;
    },
  },
  {
    name: 'raise the bound (or lower it, where it limits a factor) and mend what follows',
    check: 'bound',
    apply: (draft) => {
      const value = draft.objective === 'max-min' ? draft.bound.value * 0.7 : draft.bound.value * 1.2 + 0.001;
      draft.bound = { ...draft.bound, value };
      Object.assign(draft, concludePlan(draft));
    },
  },
  {
    name: 'raise the price of one slice',
    check: 'certificate',
    apply: onPrices((prices, pool, draft) => {
      const [profile] = Object.entries(prices).reduce((a, b) => (b[1] > a[1] ? b : a));
      prices[profile] = (prices[profile] ?? 0) + 0.01 * (1 + (draft.bound.certificate.poolPrices[pool] ?? 0));
    }),
  },
  {
    name: 'drop the prices of all slices',
    check: 'bound',
    apply: (draft) => {
      // Wanted replicas alone prove up to two GPUs here, none dearer than 3.
      const byReplicas = { gpus: 2, cost: 6, 'max-min': 0 }[draft.objective];
      if (draft.bound.value <= byReplicas) return false;
      for (const pool of Object.keys(draft.bound.certificate.slicePrices)) draft.bound.certificate.slicePrices[pool] = {};
    },
  },
  {
    name: 'price a profile that is not offered',
    check: 'certificate',
    apply: onPrices((prices) => {
      prices['9g'] = 0.1;
    }),
  },
  {
    name: 'drop the pool prices',
    check: 'certificate',
    apply: (draft) => {
      if (!Object.values(draft.bound.certificate.poolPrices).some((price) => price > 0)) return false;
      draft.bound.certificate.poolPrices = {};
    },
  },
  {
    name: 'price a pool that does not exist',
    check: 'certificate',
    apply: (draft) => {
      draft.bound.certificate.poolPrices['nowhere'] = 0.1;
    },
  },
  {
    name: 'prove a GPU more than the value says',
    check: 'bound',
    apply: (draft) => {
      if (draft.bound.gpus === undefined) return false;
      draft.bound.gpus += 1;
    },
  },
  {
    name: 'misstate the gap',
    check: 'optimality',
    apply: (draft) => {
      draft.gap += 0.01;
    },
  },
  {
    name: 'misstate the gap in GPUs',
    check: 'optimality',
    apply: (draft) => {
      draft.gapGpus = (draft.gapGpus ?? 0) + 1;
    },
  },
  {
    name: 'say optimal where the bound leaves room',
    check: 'optimality',
    apply: (draft) => {
      if (draft.optimal || draft.objective === 'cost') return false;
      draft.optimal = true;
    },
  },
  {
    name: 'say that planning ended with a proof that it does not have',
    check: 'optimality',
    apply: (draft) => {
      if (draft.optimal) return false;
      draft.stoppedBy = 'proof';
    },
  },
];
