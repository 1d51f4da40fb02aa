import type { DealtGpu, DealtPlan, Slot } from '../../deal-instances.js';
import type { Cut } from '../../list-cuts.js';
import type { PackingProblem } from '../../packing-problem.js';
import { findRoom, moveToOwnGpus } from '../../separate-replicas.js';
import { spreadReplicas } from '../../spread-replicas.js';
import type { PlanRequest } from '../strategy.js';
import { type DeployedGpu, layoutOf } from './deployment.js';
import { dropSurplus } from './drop-surplus.js';

/**
 * Makes a deployment fit to be written down: instances that a service does not need go, missing replicas come, first into
 * free slots, then on further GPUs, and replicas are brought onto different GPUs. The published strategies know no replicas,
 * so this part is ours.
 */
export function settleDeployment(request: PlanRequest, problem: PackingProblem, gpus: readonly DeployedGpu[]): DealtPlan {
  const { cuts } = request;
  const dealt = dropSurplus(problem, cuts, gpus).map(
    (gpu): DealtGpu => ({
      cut: gpu.cut,
      slots: layoutOf(cuts, gpu).slots.map((slot, n): Slot => ({ ...slot, service: gpu.services[n] as number })),
    }),
  );
  const crowded = addReplicas(problem, cuts, dealt);
  crowded.push(...spreadReplicas(dealt, problem.minCount).filter((service) => !crowded.includes(service)));
  const used = dealt.filter(({ slots }) => slots.some(({ service }) => service >= 0)).sort((a, b) => a.cut - b.cut);
  return crowded.length === 0 ? { gpus: used, crowded } : moveToOwnGpus(cuts, problem, { gpus: used, crowded });
}

/** Adds instances where a service has fewer than its replicas; returns those for which no GPU was left. */
function addReplicas(problem: PackingProblem, cuts: readonly Cut[], gpus: DealtGpu[]): number[] {
  const short: number[] = [];
  for (const [service, wanted] of problem.minCount.entries()) {
    if (wanted <= 1) continue;
    const count = (): number => gpus.reduce((sum, { slots }) => sum + slots.filter((slot) => slot.service === service).length, 0);
    for (let missing = wanted - count(); missing > 0; missing--) {
      const slot = findRoom(cuts, problem, gpus, service);
      if (slot === undefined) {
        short.push(service);
        break;
      }
      slot.service = service;
    }
  }
  return short;
}
