import type { StateDocument } from '../demand/documents/state.js';
import type { Workload } from '../demand/workload.js';
import type { DealtGpu, Slot } from '../plan/deal-instances.js';
import { finishPlan } from '../plan/finish-plan.js';
import type { PlanResult } from '../plan/plan-result.js';
import { type BoundTarget, bindTarget, type TargetGpu } from './bind-target.js';
import { type ChosenTarget, chooseTarget, type TargetOptions } from './choose-target.js';
import { choosePlace, ReplicaCount } from './place-arrivals.js';

/**
 * A plan with the fewest GPUs (or the lowest cost) that starts the fewest pods beside what runs: its GPUs are those of the
 * state, by id, and new ones under new names. Where replicas do not come apart, the services are named in `crowded`.
 */
export async function planOnto(state: StateDocument, workload: Workload, options: TargetOptions): Promise<PlanResult> {
  const chosen = await chooseTarget(state, workload, options);
  if (chosen.kind === 'infeasible') return chosen;
  const { request, built, prices, bound, problem, found } = chosen;
  const target = bindTarget(problem, found.counts);
  const dealt = { gpus: dealTarget(chosen, target), crowded: [] };
  const { signal } = options;
  return finishPlan(request, { built, dealt, prices, bound, strategy: 'exact', ...(signal && { signal }) });
}

function dealTarget({ request, problem }: ChosenTarget, target: BoundTarget): DealtGpu[] {
  const { types, ids } = problem.fleet;
  const replicas = new ReplicaCount();
  const places = target.gpus.flatMap((gpu) => gpu.slots.map((slot) => ({ gpu, size: slot.size, slot, isTaken: false })));
  const dealt = new Map<TargetGpu, Slot[]>();
  const add = (gpu: TargetGpu, slot: Slot): void => {
    replicas.add(gpu, slot.service);
    dealt.set(gpu, [...(dealt.get(gpu) ?? []), slot]);
  };
  for (const gpu of target.gpus) {
    for (const { profile, start, size, type } of gpu.stays) {
      const { service, point } = types.list[type] as (typeof types.list)[number];
      add(gpu, { placed: { profile, start }, size, service, ...(point && { point }) });
    }
  }
  for (const { service, item, count } of target.newPods) {
    for (let n = 0; n < count; n++) {
      const place = choosePlace(
        places.filter(({ isTaken }) => !isTaken),
        item.size,
        service,
        replicas,
      );
      if (place === undefined) throw new Error('a target with more pods than places');
      place.isTaken = true;
      add(place.gpu, { placed: place.slot.placed, size: item.size, service, point: item.point });
    }
  }
  const taken = new Set(ids);
  return [...dealt].map(([gpu, slots]): DealtGpu => {
    const id = gpu.gpu?.id ?? nameNew(request.workload.pools[gpu.pool]?.name ?? '', taken);
    const partial = request.cuts.findIndex((cut) => cut.ids.includes(id));
    return { id, cut: partial < 0 ? gpu.pool : partial, slots: slots.sort((a, b) => a.placed.start - b.placed.start) };
  });
}

function nameNew(pool: string, taken: Set<string>): string {
  let n = 1;
  while (taken.has(`${pool}-new-${n}`)) n++;
  taken.add(`${pool}-new-${n}`);
  return `${pool}-new-${n}`;
}
