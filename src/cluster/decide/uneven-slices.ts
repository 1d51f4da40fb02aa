import type { SharingPlan } from '../objects/sharing-plan.js';
import type { ClusterView } from '../observe/cluster-view.js';
import type { LocatedPod, Pods } from './locate-pods.js';
import { serviceKey } from './own-pods.js';
import { listPlannedRates } from './planned-rates.js';
import type { ReadWorkload } from './read-workloads.js';
import { hasRoutes } from './serve-routes.js';

/**
 * Sentences about the services whose ready pods add up to the demand but cannot carry it, since kube-proxy gives each pod the same
 * share: n pods, of which the weakest may be given c requests per second, are good for n·c. None for a workload behind a gateway.
 */
export function listUnevenServices(
  { namespace, name, object: { spec } }: ReadWorkload,
  plan: SharingPlan | undefined,
  pods: Pods,
  view: ClusterView,
): string[] {
  if (plan === undefined || (spec.gateway !== undefined && hasRoutes(view))) return [];
  const plannedRps = listPlannedRates(plan);
  const shareOf = ({ type }: LocatedPod) => plannedRps.get(type) ?? pods.capacityRps.get(type) ?? 0;
  return spec.services.flatMap(({ name: service, rateRps }) => {
    const key = serviceKey(namespace, name, service);
    const ready = pods.placed.filter((pod) => pod.service === key && pod.ready && !pod.terminating);
    const [weakest, ...others] = ready.toSorted((a, b) => shareOf(a) - shareOf(b) || (a.profile < b.profile ? -1 : 1));
    const strongest = others.at(-1);
    if (weakest === undefined || strongest === undefined) return [];
    const even = ready.length * shareOf(weakest);
    const sum = ready.reduce((all, { type }) => all + (pods.capacityRps.get(type) ?? 0), 0);
    // Sums of many throughputs differ in their last digits; what is missing in all is said by Ready.
    if (even >= rateRps * (1 - 1e-6) || sum < rateRps * (1 - 1e-6)) return [];
    const isOneModel = ready.every(({ gpuModel }) => gpuModel === weakest.gpuModel);
    const slice = isOneModel ? weakest.profile : `${weakest.profile} of ${weakest.gpuModel}`;
    // The same profile of another model is another slice.
    const isCured = isOneModel && strongest.profile !== weakest.profile;
    const cure = isCured ? `, or restrict ${service} to one profile (profiles: [${strongest.profile}])` : '';
    return [
      `kube-proxy gives each of the ${ready.length} pods of ${service} the same share, and the weakest (${slice}) may be given ${round(shareOf(weakest))} rps: ${service} is good for ${round(even)} of ${round(rateRps)} rps. Name a gateway${cure}.`,
    ];
  });
}

const round = (rps: number): number => Math.round(rps * 10) / 10;
