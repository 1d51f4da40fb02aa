import type { PlanDocument } from '../../demand/documents/plan.js';
import { entryOf } from '../../demand/entry-of.js';
import { InlayError, problem } from '../../errors.js';
import type { Allocation } from '../backends/backend.js';
import type { KubeObject } from '../client/object-types.js';
import type { InferenceWorkload } from '../objects/inference-workload.js';
import { fewestPods, type ServedType, writeBudget, writeDeployment, writeService } from './manifests.js';
import { deploymentName } from './names.js';
import { writeRoute, writeTypeService } from './routes.js';

/**
 * The manifests that serve a plan without an operator: for each service a Service, a PodDisruptionBudget and one Deployment per
 * slice type, in the order of the workload; for a workload with a gateway also an HTTPRoute with the plan's weights and a Service
 * per slice type. Which node a pod comes to is left to the scheduler; of a plan with several GPU models only those with a product that
 * `productsOf` names for its model. Throws PLAN_MISMATCH when the workload has no pod template for a service of the plan.
 */
export function writePlanManifests(
  plan: PlanDocument,
  workload: InferenceWorkload,
  allocation: Allocation,
  productsOf: ReadonlyMap<string, readonly string[]> = new Map(),
): readonly KubeObject[] {
  const { name, namespace = 'default' } = workload.metadata;
  const known = new Set(workload.spec.services.map((service) => service.name));
  const missing = plan.services.filter((service) => service.instances > 0 && !known.has(service.name));
  if (missing.length > 0) {
    throw new InlayError(
      missing.map((service) =>
        problem('PLAN_MISMATCH', {
          message: `The plan has the service ${service.name}, for which ${name} has no pod template.`,
          path: 'spec.services',
          expected: `a service named ${service.name}`,
          received: [...known].join(', '),
        }),
      ),
    );
  }
  const types = new Map<string, Map<string, ManifestType & { replicas: number; atEnd: number; rps: number }>>();
  for (const { type: gpuModel, instances } of plan.gpus) {
    for (const { service, profile, batch, processes, capacityRps, plannedCapacityRps } of instances) {
      const kind = { gpuModel, profile, batch, processes };
      const type = entryOf(
        entryOf(types, service, () => new Map()),
        JSON.stringify(kind),
        () => {
          const request = allocation.requestOf({ gpuModel, profile, namespace, name: deploymentName(name, service, kind) });
          return { ...kind, capacityRps, request, products: productsOf.get(gpuModel), replicas: 0, atEnd: 0, rps: 0 };
        },
      );
      type.replicas++;
      type.atEnd++;
      type.rps += plannedCapacityRps;
    }
  }
  const rates = new Map(plan.services.map((service) => [service.name, service.rateRps]));
  return writeWorkloadManifests(workload, (service) => ({
    rateRps: rates.get(service) ?? 0,
    types: [...(types.get(service)?.values() ?? [])],
  }));
}

/** Pods of one type in manifests: so many as `replicas` say at first, and `atEnd`, which may be given `rps` together then. */
export interface ManifestType extends ServedType {
  readonly atEnd: number;
  readonly rps: number;
}

/** The manifests of the services of a workload that have types of pods; pods have no gate, so that the scheduler places them. */
export function writeWorkloadManifests(
  { metadata: { name, namespace = 'default' }, spec: { services, gateway } }: InferenceWorkload,
  contentOf: (service: string) => { readonly rateRps: number; readonly types: readonly ManifestType[] },
): readonly KubeObject[] {
  return services.flatMap((service): KubeObject[] => {
    const { rateRps, types } = contentOf(service.name);
    if (types.length === 0) return [];
    const served = { namespace, workload: name, service };
    const capacities = types.flatMap(({ atEnd, capacityRps }) => Array<number>(atEnd).fill(capacityRps));
    const deployments = types.map((type) => writeDeployment(served, type, false));
    const route = gateway && writeRoute(served, gateway, types);
    const routed = route === undefined ? [] : [...types.map((type) => writeTypeService(served, type)), route];
    const asked = types.flatMap(({ request }) => request.objects?.map(({ object }) => object) ?? []);
    return [writeService(served), writeBudget(served, fewestPods(capacities, rateRps)), ...routed, ...asked, ...deployments];
  });
}
