import type { DealtGpu, DealtPlan, Slot } from '../../deal-instances.js';
import type { Cut, CutLayout } from '../../list-cuts.js';
import type { PackingProblem } from '../../packing-problem.js';
import { moveToOwnGpus } from '../../separate-replicas.js';
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
      const slot = findFreeSlot(problem, gpus, service) ?? openGpu(problem, cuts, gpus, service);
      if (slot === undefined) {
        short.push(service);
        break;
      }
      slot.service = service;
    }
  }
  return short;
}

function isUsable({ throughput, sizeCount }: PackingProblem, service: number, size: number): boolean {
  return (throughput[service * sizeCount + size] as number) > 0;
}

function findFreeSlot(problem: PackingProblem, gpus: readonly DealtGpu[], service: number): Slot | undefined {
  for (const { slots } of gpus) {
    if (slots.some((slot) => slot.service === service)) continue;
    const free = slots.find((slot) => slot.service < 0 && isUsable(problem, service, slot.size));
    if (free !== undefined) return free;
  }
  return undefined;
}

/** A further GPU with the most slots that the service can use, so that other replicas find room on it too. */
function openGpu(problem: PackingProblem, cuts: readonly Cut[], gpus: DealtGpu[], service: number): Slot | undefined {
  const usable = ({ slots }: CutLayout): number => slots.filter(({ size }) => isUsable(problem, service, size)).length;
  for (const [cut, { limit, layouts }] of cuts.entries()) {
    if (gpus.filter((gpu) => gpu.cut === cut).length >= limit) continue;
    const best = layouts.reduce<CutLayout | undefined>((a, b) => (a === undefined || usable(b) > usable(a) ? b : a), undefined);
    if (best === undefined || usable(best) === 0) continue;
    const slots = best.slots.map((slot): Slot => ({ ...slot, service: -1 }));
    gpus.push({ cut, slots });
    return slots.find(({ size }) => isUsable(problem, service, size));
  }
  return undefined;
}
