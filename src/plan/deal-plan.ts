import { dealInBulk, isFolded } from './deal-in-bulk.js';
import { type DealtPlan, dealInstances } from './deal-instances.js';
import type { Packing, PackingProblem } from './packing-problem.js';
import { separateReplicas } from './separate-replicas.js';
import type { SearchContext } from './solve-problem.js';
import type { PlanRequest } from './strategies/strategy.js';

/**
 * Deals a packing to GPUs so that every service has its replicas on enough different GPUs: by exchanging equal slots;
 * where that fails and the fleet is small, by an exact program over single GPUs; else with GPUs of their own for the
 * replicas that are missing one. The number of GPUs may therefore exceed the packing's. Very large packings come in groups of equal GPUs.
 */
export async function dealPlan(
  request: PlanRequest,
  problem: PackingProblem,
  packing: Packing,
  context: SearchContext,
): Promise<DealtPlan> {
  if (!isFolded(packing)) return dealSingly(request, problem, packing, context);
  const bulk = dealInBulk(problem, packing, request.cuts);
  const rest = await dealSingly(request, bulk.problem, bulk.packing, context);
  return { ...rest, gpus: [...bulk.gpus, ...rest.gpus] };
}

async function dealSingly(request: PlanRequest, problem: PackingProblem, packing: Packing, context: SearchContext): Promise<DealtPlan> {
  const dealt = dealInstances(problem, packing, request.cuts, request.deal);
  if (dealt.crowded.length === 0) return dealt;
  return separateReplicas(request, problem, dealt, context);
}
