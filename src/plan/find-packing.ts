import type { Solver } from '../solver/solver.js';
import { adjustCounts } from './adjust-counts.js';
import { balancePlans, choosePlans, type SearchLimits } from './choose-plans.js';
import { packGreedily } from './pack-greedily.js';
import type { Packing, PackingProblem, SlicePrices } from './packing-problem.js';
import { makeServicePlans, type ServicePlans } from './service-plans.js';

/** One widening of the search: so many undecided services choose among so many of their plans each. */
interface Step {
  readonly services: number;
  readonly plans: number;
}

/** Few services with few plans settle most fleets in milliseconds; the later steps are for the rest. */
const steps: readonly Step[] = [
  { services: 8, plans: 6 },
  { services: 24, plans: 8 },
  { services: 64, plans: 16 },
  { services: 100, plans: 6 },
];
/** Where a fleet is nearly full, only rare plans fit. With many sizes such programs are slow and were never of use. */
const rareSteps: readonly Step[] = [
  { services: 64, plans: 40 },
  { services: 64, plans: 100 },
];
const mostSizesForRareSteps = 8;
/** Services whose counts may move freely, step by step. */
const adjustSteps = [6, 12] as const;
/** Rounds around the best packing found, each with other services free, until none has helped for a while. */
const extraRounds = 12;
const idleRounds = 3;
const roundStep: Step = { services: 24, plans: 12 };
/** Integer programs of this kind find what they find near the root. */
const maxNodes = 50;
/** Cost difference below which two plans of a service count as tied at the best prices. */
const tie = 1e-6;
/** Tied plans listed for a service: with 6, a fleet of 10 000 services began 19 GPUs above its bound; with 12, on it. */
const tiedPlans = 12;

/** What the search reports and how it is stopped. */
export interface PackingSearch {
  /** Cost that no packing is below: reaching it ends the search. */
  readonly target: number;
  /** Costs of packings are multiples of this; 0 when not known. */
  readonly unit: number;
  readonly signal?: AbortSignal;
  readonly onImprove?: (packing: Packing) => void;
}

/**
 * Turns the best prices into whole instances on whole GPUs: nearly every service takes its cheapest plan, and integer
 * programs decide for the few that are undecided, then widen until the target is met or the rounds are used up.
 * A first packing comes without any solver, so a search that is stopped always has an answer; it exceeds the pools'
 * limits only if nothing better was found.
 */
export async function findPacking(problem: PackingProblem, solver: Solver, prices: SlicePrices, search: PackingSearch): Promise<Packing> {
  const reach = Math.max(...problem.pools.map((pool) => pool.cost));
  const plans = makeServicePlans(problem, prices, reach);
  let best = packGreedily(problem, plans.cheapest);
  const consider = (found: Packing | undefined): void => {
    if (found === undefined || !isBetter(found, best)) return;
    best = found;
    search.onImprove?.(best);
  };
  try {
    await improve(problem, solver, plans, reach, search, () => best, consider);
  } catch (error) {
    if (search.signal?.aborted !== true) throw error;
  }
  return best;
}

async function improve(
  problem: PackingProblem,
  solver: Solver,
  plans: ServicePlans,
  reach: number,
  search: PackingSearch,
  best: () => Packing,
  consider: (found: Packing | undefined) => void,
): Promise<void> {
  const limits: SearchLimits = { target: search.target, unit: search.unit, maxNodes };
  const done = (): boolean => isAtTarget(best(), search.target) || search.signal?.aborted === true;
  const { instances: base, split } = await balanceTies(problem, solver, plans);
  consider(await choosePlans(problem, solver, base, [], limits));
  const order = [...split, ...plans.undecided.map(({ service }) => service).filter((service) => !split.includes(service))];
  const choose = (from: Int32Array, services: readonly number[], keep: number): Promise<Packing | undefined> =>
    choosePlans(
      problem,
      solver,
      from,
      services.map((i) => plans.choices(i, keep, reach)),
      limits,
    );

  const widening = problem.sizeCount <= mostSizesForRareSteps ? [...steps, ...rareSteps] : steps;
  for (const { services, plans: keep } of widening) {
    if (done()) return;
    consider(await choose(base, order.slice(0, services), keep));
  }
  for (const count of adjustSteps) {
    if (done()) return;
    consider(await adjustCounts(problem, solver, best().instances, order.slice(0, count), limits));
  }
  let idle = 0;
  for (let round = 1; round <= extraRounds && idle < idleRounds && !done(); round++) {
    const before = best();
    consider(await choose(before.instances, takeTurn(order, round, roundStep.services), roundStep.plans));
    idle = best() === before ? idle + 1 : 0;
  }
}

/** So many services from a place that moves on with every round, starting over at the end. */
function takeTurn(order: readonly number[], round: number, count: number): readonly number[] {
  const from = (round * count) % Math.max(1, order.length);
  return [...order.slice(from, from + count), ...order.slice(0, Math.max(0, from + count - order.length))].slice(0, order.length);
}

async function balanceTies(
  problem: PackingProblem,
  solver: Solver,
  plans: ServicePlans,
): Promise<{ readonly instances: Int32Array; readonly split: readonly number[] }> {
  const tied = plans.undecided.filter(({ gap }) => gap <= tie).map(({ service }) => plans.choices(service, tiedPlans, tie));
  if (tied.length === 0) return { instances: plans.cheapest, split: [] };
  return balancePlans(problem, solver, plans.cheapest, tied);
}

function isBetter(a: Packing, b: Packing): boolean {
  return a.excess !== b.excess ? a.excess < b.excess : a.cost < b.cost - 1e-9;
}

function isAtTarget(packing: Packing, target: number): boolean {
  return packing.excess === 0 && packing.cost <= target + 1e-6;
}
