import type { PlanDocument } from '../demand/documents/plan.js';
import type { StateDocument } from '../demand/documents/state.js';
import type { Backend } from '../demand/documents/transition.js';
import { createPointFinder } from '../demand/operating-points.js';
import type { Workload } from '../demand/workload.js';
import { inlayError } from '../errors.js';
import { type BuiltProblem, buildProblem } from '../plan/build-problem.js';
import { countInstances, foldFrom, isFolded } from '../plan/deal-in-bulk.js';
import { dealPlan } from '../plan/deal-plan.js';
import { findHeldGpus } from '../plan/held-gpus.js';
import { describeCrowding, describeShortage, findConflicts } from '../plan/infeasible.js';
import { listCuts } from '../plan/list-cuts.js';
import { roundUpToSum } from '../plan/objective-unit.js';
import type { Packing, SlicePrices } from '../plan/packing-problem.js';
import type { InfeasiblePlan } from '../plan/plan-result.js';
import { boundNeed, type SearchContext, solveProblem } from '../plan/solve-problem.js';
import type { PlanRequest } from '../plan/strategies/strategy.js';
import { bindTarget } from './bind-target.js';
import { buildTargetProblem } from './build-target-problem.js';
import { readFleet } from './fleet.js';
import { type FoundTarget, searchTarget } from './search-target.js';
import { listSeeds } from './seed-plans.js';
import type { TargetCounts } from './target-counts.js';
import type { TargetProblem } from './target-problem.js';

/** What a target may cost and how GPUs are changed. */
export interface TargetOptions extends SearchContext {
  /** Default `gpus`. */
  readonly objective?: 'gpus' | 'cost';
  /** Default `instance`. */
  readonly backend?: Backend;
  /** GPUs (or cost) that the target may have above the least; default 0. */
  readonly above?: number;
  /** Numbers of pods to take as given; only their places are chosen. */
  readonly plan?: PlanDocument;
}

/** The target of least change with the problem that it solves. */
export interface ChosenTarget {
  readonly kind: 'target';
  readonly request: PlanRequest;
  readonly built: BuiltProblem;
  readonly prices: SlicePrices;
  readonly problem: TargetProblem;
  readonly found: FoundTarget;
  /** What the target may cost, in the objective's unit. */
  readonly budget: number;
  /** What every target costs at least, proven. */
  readonly least: number;
  /** The same before it is rounded up to what a cost can be: what the prices prove. */
  readonly bound: number;
}

/**
 * Chooses what should run: the fewest GPUs (or the lowest cost) that serve the workload, among those the target that starts the
 * fewest pods beside those that run, then the one with the fewest new instances, then the one that touches the fewest GPUs.
 */
export async function chooseTarget(
  state: StateDocument,
  workload: Workload,
  options: TargetOptions,
): Promise<ChosenTarget | InfeasiblePlan> {
  const finder = createPointFinder(workload);
  const cuts = listCuts(workload, finder.index.sizes, findHeldGpus(workload, state));
  const request: PlanRequest = { workload, finder, cuts, objective: options.objective ?? 'gpus', deal: 'together', current: state };
  const conflicts = findConflicts(request);
  if (conflicts.length > 0) return { kind: 'infeasible', conflicts };
  const fleet = readFleet(state, workload, finder);
  const factors = workload.services.map(() => 1);
  const built = buildProblem(workload, finder, cuts, request.objective, factors);
  const least = await leastCost(request, built, options);
  if ('kind' in least) return least;
  const { packing, prices, bound } = least;
  refuseFolded(packing);
  const dealt = options.plan === undefined ? await dealApart(request, built, packing, options) : { packing, crowded: [] };
  if (dealt.crowded.length > 0) return { kind: 'infeasible', conflicts: describeCrowding(request, dealt.crowded), bound };
  const plannedCost = options.plan?.gpus.reduce((sum, { pool, count = 1 }) => sum + count * costOf(request, built, pool), 0);
  const budget = (plannedCost ?? dealt.packing.cost) + (options.above ?? 0);
  let problem = buildTargetProblem(request, built, fleet, options.backend ?? 'instance', options.plan);
  const seeds = [...new Set([packing, dealt.packing])].flatMap((one) => listSeeds(problem, one));
  let found = await searchTarget(problem, budget, seeds, prices, options);
  while (found !== undefined) {
    const more = listCrowded(problem, found.counts);
    if (more.length === 0) break;
    problem = { ...problem, apart: new Set([...problem.apart, ...more]) };
    found = (await searchTarget(problem, budget, seeds, prices, options)) ?? found;
  }
  if (found === undefined) throw inlayError('INTERNAL', { message: 'No target was found although a plan exists.' });
  const costs = built.problem.pools.map((pool) => pool.cost);
  return { kind: 'target', request, built, prices, problem, found, least: roundUpToSum(bound, costs), bound, budget };
}

/** Services whose replicas are to be looked at too: those in the way of each other, or else all others with replicas. */
function listCrowded(problem: TargetProblem, counts: TargetCounts): readonly number[] {
  const { crowded } = bindTarget(problem, counts);
  const isNew = (service: number): boolean => !problem.apart.has(service);
  if (crowded.length === 0 || crowded.some(isNew)) return crowded.filter(isNew);
  return problem.services.flatMap((service, i) => (service !== undefined && service.minCount > 1 && isNew(i) ? [i] : []));
}

/**
 * A packing with its replicas on different GPUs, which may take more pods and GPUs, and the services for which that failed: the same
 * packing where no service asks for it.
 */
async function dealApart(
  request: PlanRequest,
  { problem }: BuiltProblem,
  packing: Packing,
  context: SearchContext,
): Promise<{ readonly packing: Packing; readonly crowded: readonly number[] }> {
  if (problem.minCount.every((count) => count < 2)) return { packing, crowded: [] };
  const { gpus, crowded } = await dealPlan(request, problem, packing, context);
  const instances = new Int32Array(packing.instances.length);
  let cost = 0;
  for (const { cut, slots } of gpus) {
    cost += problem.pools[request.cuts[cut]?.pool ?? 0]?.cost ?? 0;
    for (const { service, size } of slots) if (service >= 0) (instances[service * problem.sizeCount + size] as number)++;
  }
  return { packing: { ...packing, instances, cost: Math.max(cost, packing.cost) }, crowded };
}

function costOf({ workload }: PlanRequest, { problem }: BuiltProblem, pool: string): number {
  return problem.pools[workload.pools.findIndex(({ name }) => name === pool)]?.cost ?? 0;
}

/** Throws TOO_MANY where a target would have more instances than are looked at one by one. */
function refuseFolded(packing: Packing): void {
  if (!isFolded(packing)) return;
  throw inlayError('TOO_MANY', {
    message: 'The workload needs more instances than can be matched with what runs, one by one.',
    path: 'spec.services',
    expected: `rates that at most ${foldFrom} instances can serve`,
    received: `${countInstances(packing)} instances`,
    hint: 'Plan it without the current state, or split the workload.',
  });
}

interface LeastCost {
  readonly packing: Packing;
  readonly prices: SlicePrices;
  readonly bound: number;
}

async function leastCost(request: PlanRequest, { problem }: BuiltProblem, context: SearchContext): Promise<LeastCost | InfeasiblePlan> {
  const { packing, prices, bound } = await solveProblem(problem, context);
  if (packing !== undefined && packing.excess === 0) return { packing, prices, bound };
  const need = await boundNeed(problem, context);
  return { kind: 'infeasible', conflicts: describeShortage(request, need, undefined), bound: need };
}
