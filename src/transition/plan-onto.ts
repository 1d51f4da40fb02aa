import { planId } from '../demand/documents/canonical.js';
import type { PlanDocument } from '../demand/documents/plan.js';
import { toProvenBound } from '../demand/documents/proven-bound.js';
import type { StateDocument } from '../demand/documents/state.js';
import type { Workload } from '../demand/workload.js';
import type { DealtGpu, Slot } from '../plan/deal-instances.js';
import { finishPlan } from '../plan/finish-plan.js';
import { plan } from '../plan/plan.js';
import type { PlanResult } from '../plan/plan-result.js';
import { type BoundTarget, bindTarget, countNewPods, type TargetGpu } from './bind-target.js';
import { type ChosenTarget, chooseTarget, type TargetOptions } from './choose-target.js';
import type { Fleet } from './fleet.js';
import { choosePlace, ReplicaCount } from './place-arrivals.js';
import type { FoundTarget } from './search-target.js';

/**
 * A plan with the fewest GPUs (or the lowest cost) that starts the fewest pods beside what runs: its GPUs are those of the
 * state, by id, and new ones under new names; `change` says what is proven of that. Where replicas that must sit on different
 * GPUs do not come apart so, the plan is made afresh, without `change`.
 */
export async function planOnto(state: StateDocument, workload: Workload, options: TargetOptions): Promise<PlanResult> {
  const chosen = await chooseTarget(state, workload, options);
  if (chosen.kind === 'infeasible') return chosen;
  const { request, built, prices, bound, problem, found } = chosen;
  const target = bindTarget(problem, found.counts);
  const gpus = dealTarget(chosen, target);
  const { objective = 'gpus', solver, signal } = options;
  if (!isSpread(gpus, workload)) return plan(workload, { solver, objective, current: state, ...(signal && { signal }) });
  const dealt = { gpus, crowded: [] };
  const result = finishPlan(request, { built, dealt, prices, bound, strategy: 'exact', ...(signal && { signal }) });
  return result.kind === 'plan' ? { kind: 'plan', plan: withChange(result.plan, found, countNewPods(target)) } : result;
}

function withChange(written: PlanDocument, { podStarts, creations, touched }: FoundTarget, started: number): PlanDocument {
  const change = {
    podStarts: toProvenBound(started, podStarts.limit),
    instanceCreations: toProvenBound(creations.achieved, creations.limit),
    gpusTouched: toProvenBound(touched.achieved, touched.limit),
  };
  const content = { ...written, change };
  return { ...content, metadata: { ...written.metadata, id: planId(content) } };
}

function isSpread(gpus: readonly DealtGpu[], { services }: Workload): boolean {
  const gpusOf = services.map(() => 0);
  for (const { slots } of gpus) for (const service of new Set(slots.map((slot) => slot.service))) (gpusOf[service] as number)++;
  return services.every(({ minReplicas, rateRps }, i) => rateRps === 0 || (gpusOf[i] as number) >= minReplicas);
}

function dealTarget({ request, problem }: ChosenTarget, target: BoundTarget): DealtGpu[] {
  const { types, ids } = problem.fleet;
  const replicas = new ReplicaCount();
  const places = target.gpus.flatMap((gpu) => gpu.slots.map((slot) => ({ gpu, size: slot.size, home: slot.home, slot, isTaken: false })));
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
  const free = listFree(problem.fleet, target, request.workload.pools.length);
  return [...dealt].map(([gpu, slots]): DealtGpu => {
    const id = gpu.gpu?.id ?? free[gpu.pool]?.shift() ?? nameNew(request.workload.pools[gpu.pool]?.name ?? '', taken);
    const partial = request.cuts.findIndex((cut) => cut.ids.includes(id));
    return { id, cut: partial < 0 ? gpu.pool : partial, slots: slots.sort((a, b) => a.placed.start - b.placed.start) };
  });
}

/** By pool: ids of GPUs for content that needs an empty one: first those that are given up, which change anyway. */
function listFree({ gpus }: Fleet, { released, gpus: used }: BoundTarget, pools: number): string[][] {
  const hosts = new Set(used.map(({ gpu }) => gpu));
  const empty = gpus.filter((gpu) => gpu.instances.length === 0 && !hosts.has(gpu));
  const free = [...released, ...empty].filter(({ instances }) => !instances.some(({ reserved }) => reserved));
  return Array.from({ length: pools }, (_, g) => free.filter(({ pool }) => pool === g).map(({ id }) => id));
}

function nameNew(pool: string, taken: Set<string>): string {
  let n = 1;
  while (taken.has(`${pool}-new-${n}`)) n++;
  taken.add(`${pool}-new-${n}`);
  return `${pool}-new-${n}`;
}
