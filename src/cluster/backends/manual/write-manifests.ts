import type { KubeObject } from '../../client/object-types.js';
import { serviceKey, typeKey } from '../../decide/own-pods.js';
import type { PlannedType } from '../../decide/planned-types.js';
import { deploymentName } from '../../serve/names.js';
import { type ManifestType, writeWorkloadManifests } from '../../serve/plan-manifests.js';
import type { PlanFacts } from '../backend.js';
import type { Replicas } from './count-replicas.js';

/**
 * The objects of a plan's services, with as many pods as run before the first step: applying them moves nothing, the steps do.
 * Pods go to nodes of the pool of their GPU model where that is one pool.
 */
export function writeManifests(
  { plan, workloads, pools }: PlanFacts,
  types: ReadonlyMap<string, PlannedType>,
  replicas: ReadonlyMap<string, Replicas>,
): readonly KubeObject[] {
  const services = new Map(plan.spec.services.map((service) => [service.key, service]));
  return workloads.flatMap((workload) => {
    const { name, namespace = 'default' } = workload.metadata;
    return writeWorkloadManifests(workload, (service) => {
      const key = serviceKey(namespace, name, service);
      const planned = services.get(key);
      const own = [...types.values()].filter((type) => type.service === key);
      return {
        rateRps: planned?.rateRps ?? 0,
        types: own.map((type): ManifestType => {
          const { service: _key, ...kind } = type;
          const { before = 0, after = 0 } = replicas.get(typeKey(type)) ?? {};
          const rated = planned?.types?.find((one) => typeKey({ service: key, ...one }) === typeKey(type));
          const served = pools.filter(({ model }) => model?.name === type.gpuModel);
          const [pool] = served;
          const asked = { gpuModel: type.gpuModel, namespace, name: deploymentName(name, service, kind) };
          const profile = served.find(({ names }) => names.has(type.profile))?.names.get(type.profile) ?? type.profile;
          return {
            ...kind,
            request: pool?.backend?.allocation.requestOf({ ...asked, profile }) ?? { resources: {} },
            nodeSelector: served.length === 1 ? pool?.pool.spec.nodeSelector : undefined,
            replicas: before,
            atEnd: after,
            rps: after * (rated?.plannedRps ?? type.capacityRps),
          };
        }),
      };
    });
  });
}
