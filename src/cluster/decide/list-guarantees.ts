import type { ClusterView } from '../observe/cluster-view.js';
import type { Guarantees } from './build-state.js';
import type { GroupPlans } from './choose-plan.js';
import type { WorkloadGroup } from './group-workloads.js';
import type { Memory } from './memory.js';
import { loadTransition } from './plan-storage.js';
import type { Owner } from './whose-pods.js';

/**
 * What services can count on now: the demand of a plan that is carried out, the floor of one that is under way. A service that the plan
 * does not know may have pods all the same, from another group or from before it could not be planned: of those it keeps what it demands.
 * Nothing is guaranteed here to services that are planned elsewhere, or cannot be planned.
 */
export function listGuarantees(
  { active }: GroupPlans,
  { workloads }: WorkloadGroup,
  ownerOf: (service: string) => Owner,
  { configMaps }: Pick<ClusterView, 'configMaps'>,
  memory: Memory,
): Guarantees {
  const own = workloads.flatMap(({ services }) =>
    services.map(({ name, model, rateRps, latencyMs }) => [name, { model, rateRps, latencyMs }] as const),
  );
  if (active === undefined) return new Map(own);
  const known = new Map(loadTransition(active, configMaps, memory)?.target.services.map((service) => [service.name, service]));
  // Of a plan whose parts are gone, only the demand still tells.
  const demanded = new Map(own);
  const isReady = active.status?.phase === 'Ready';
  const planned = active.spec.services.map(({ key, rateRps, floorRps }) => {
    const { model = key, latencyMs = 1 } = known.get(key) ?? demanded.get(key) ?? {};
    return [key, { model, latencyMs, rateRps: isReady ? rateRps : floorRps }] as const;
  });
  return new Map([...own, ...planned].filter(([key]) => ownerOf(key) === 'own' || ownerOf(key) === 'gone'));
}
