import type { Solver } from '../solver/solver.js';
import { planKey, ServicePlanSearch, type TargetPrices } from './service-plans.js';
import type { ServicePlan, TargetProblem } from './target-problem.js';
import { buildTargetProgram, type TargetProgram } from './target-program.js';

/** The linear relaxation solved to its end: a proven limit, the prices that prove it, and the plans it was made of. */
export interface PricedPlans {
  /** No target within the budget starts fewer pods; -Infinity when the budget is proven too small. */
  readonly bound: number;
  readonly prices: TargetPrices;
  /** By service: what its plan costs at the prices in the relaxation's optimum. */
  readonly planPrice: Float64Array;
  readonly plans: readonly ServicePlan[];
  readonly searches: readonly (ServicePlanSearch | undefined)[];
}

const maxRounds = 200;
/** A plan must be cheaper by this much to be worth another round. */
const worthwhile = 1e-7;

/**
 * Column generation: solves the relaxation over the plans known, asks every service for a plan that is cheaper at the dual
 * prices, and repeats until none is. `seeds` must allow an answer within the budget.
 */
export async function pricePlans(
  problem: TargetProblem,
  budget: number,
  seeds: readonly ServicePlan[],
  solver: Solver,
  signal?: AbortSignal,
): Promise<PricedPlans> {
  const plans = [...seeds];
  const known = new Set(seeds.map(planKey));
  // Replicas are left to the whole program: without them the limit is still one.
  const program = buildTargetProgram({ ...problem, apart: new Set() }, budget, { plans, open: new Set() }, { kind: 'pod-starts' });
  const searches = problem.services.map((items, i) =>
    items === undefined || items.fixed !== undefined ? undefined : new ServicePlanSearch(i, items),
  );
  const { integer: _, ...relaxed } = program.builder.build();
  const session = await solver.open(relaxed);
  let bound = 0;
  let best: Pick<PricedPlans, 'prices' | 'planPrice'> | undefined;
  for (let round = 0; round < maxRounds && signal?.aborted !== true; round++) {
    const solution = await session.solve();
    if (solution.status !== 'optimal') break;
    const at = (row: number): number => Math.max(0, -(solution.rowDual[row] as number));
    const prices = { size: Float64Array.from(program.sizeRow, at), type: Float64Array.from(program.typeRow, at), start: 1 };
    const planPrice = Float64Array.from(program.planRow, (row) => (row < 0 ? 0 : (solution.rowDual[row] as number)));
    let proven = solution.objective;
    const better: ServicePlan[] = [];
    for (const [i, search] of searches.entries()) {
      if (search === undefined) continue;
      const { plan, cost, lower } = search.cheapest(prices);
      proven += Math.min(0, lower - (planPrice[i] as number));
      if (cost < (planPrice[i] as number) - worthwhile && !known.has(planKey(plan))) better.push(plan);
    }
    if (best === undefined || proven >= bound) {
      bound = Math.max(bound, proven);
      best = { prices, planPrice };
    }
    if (better.length === 0) break;
    for (const plan of better) known.add(planKey(plan));
    plans.push(...better);
    await addPlans(session, problem, program, better);
  }
  await session.close();
  const none = {
    prices: { size: new Float64Array(problem.packing.sizeCount), type: new Float64Array(problem.fleet.types.list.length), start: 1 },
    planPrice: new Float64Array(problem.services.length),
  };
  return { bound, ...(best ?? none), plans, searches };
}

async function addPlans(
  session: Awaited<ReturnType<Solver['open']>>,
  problem: TargetProblem,
  program: TargetProgram,
  plans: readonly ServicePlan[],
): Promise<void> {
  const starts = new Int32Array(plans.length + 1);
  const indices: number[] = [];
  const values: number[] = [];
  for (const [p, { service, counts }] of plans.entries()) {
    const entries = new Map<number, number>([[program.planRow[service] as number, 1]]);
    const add = (row: number, value: number): void => void entries.set(row, (entries.get(row) ?? 0) + value);
    for (const [j, { size, type }] of (problem.services[service]?.items ?? []).entries()) {
      const count = counts[j] as number;
      if (count === 0) continue;
      add(program.sizeRow[size] as number, count);
      if (type >= 0) add(program.typeRow[type] as number, count);
    }
    for (const [row, value] of entries) {
      indices.push(row);
      values.push(value);
    }
    starts[p + 1] = indices.length;
  }
  await session.addColumns(
    { starts, indices: Int32Array.from(indices), values: Float64Array.from(values) },
    Float64Array.from(plans, (plan) => plan.starts),
    new Float64Array(plans.length),
    new Float64Array(plans.length).fill(Infinity),
  );
}
