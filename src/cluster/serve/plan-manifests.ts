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
 * per slice type. Which node a pod comes to is left to the scheduler. Throws PLAN_MISMATCH when the
 * workload has no pod template for a service of the plan.
 */
export function writePlanManifests(plan: PlanDocument, workload: InferenceWorkload, allocation: Allocation): readonly KubeObject[] {
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
  const types = new Map<string, Map<string, ServedType & { replicas: number; rps: number }>>();
  for (const { type: gpuModel, instances } of plan.gpus) {
    for (const { service, profile, batch, processes, capacityRps, plannedCapacityRps } of instances) {
      const own = entryOf(types, service, () => new Map());
      const type = entryOf(own, `${gpuModel} ${profile} ${batch} ${processes}`, () => ({
        gpuModel,
        profile,
        batch,
        processes,
        capacityRps,
        request: allocation.requestOf({
          gpuModel,
          profile,
          namespace,
          name: deploymentName(name, service, { gpuModel, profile, batch, processes }),
        }),
        replicas: 0,
        rps: 0,
      }));
      type.replicas++;
      type.rps += plannedCapacityRps;
    }
  }
  return workload.spec.services.flatMap((service): KubeObject[] => {
    const own = [...(types.get(service.name)?.values() ?? [])];
    if (own.length === 0) return [];
    const served = { namespace, workload: name, service };
    const capacities = own.flatMap(({ replicas, capacityRps }) => Array<number>(replicas).fill(capacityRps));
    const rate = plan.services.find((one) => one.name === service.name)?.rateRps ?? 0;
    const deployments = own.map((type) => writeDeployment(served, type, false));
    const { gateway } = workload.spec;
    const route = gateway && writeRoute(served, gateway, own);
    const routed = route === undefined ? [] : [...own.map((type) => writeTypeService(served, type)), route];
    const asked = own.flatMap(({ request }) => request.objects?.map(({ object }) => object) ?? []);
    return [writeService(served), writeBudget(served, fewestPods(capacities, rate)), ...routed, ...asked, ...deployments];
  });
}
