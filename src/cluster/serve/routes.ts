import type { HttpRoute, Service } from '../client/object-types.js';
import type { PodType } from '../decide/own-pods.js';
import type { InferenceWorkload } from '../objects/inference-workload.js';
import { type ServedService, selectorOf, typeSelectorOf } from './manifests.js';
import { deploymentName, serviceName } from './names.js';
import { wholeWeights } from './whole-weights.js';

/** Weights of a route add up to this: a share is right to 0.01 %. */
export const totalWeight = 10_000;
/** The most that a rule of an HTTPRoute may name. */
export const mostBackends = 16;

/** The pods of one type of a service, and the requests per second that all of them together may be given. */
export interface Backend extends Omit<PodType, 'service'> {
  readonly rps: number;
}

/** The Service in front of the pods of one type: what a route gives a weight to. */
export function writeTypeService(served: ServedService, type: Omit<PodType, 'service'>): Service {
  const { namespace, workload, service, owner } = served;
  const selector = typeSelectorOf(served, type);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: deploymentName(workload, service.name, type),
      namespace,
      labels: selector,
      ...(owner && { ownerReferences: [owner] }),
    },
    spec: { selector, ports: [{ name: 'serve', port: service.port, targetPort: service.port }] },
  };
}

/**
 * The HTTPRoute of a service: requests for `SERVICE.HOSTNAME` go to the types in proportion to their rates. Of more types than a
 * rule may name those of the highest rates stay. Undefined when nothing may be given any requests.
 */
export function writeRoute(
  served: ServedService,
  gateway: NonNullable<InferenceWorkload['spec']['gateway']>,
  backends: readonly Backend[],
): HttpRoute | undefined {
  const { namespace, workload, service, owner } = served;
  const named = backends
    .filter(({ rps }) => rps > 0)
    .map((backend) => ({ name: deploymentName(workload, service.name, backend), rps: backend.rps }))
    .sort((a, b) => b.rps - a.rps || byName(a, b))
    .slice(0, mostBackends)
    .sort(byName);
  if (named.length === 0) return undefined;
  const weights = wholeWeights(
    named.map(({ rps }) => rps),
    totalWeight,
  );
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: {
      name: serviceName(workload, service.name),
      namespace,
      labels: selectorOf(served),
      ...(owner && { ownerReferences: [owner] }),
    },
    spec: {
      parentRefs: [{ name: gateway.name, namespace: gateway.namespace ?? namespace }],
      hostnames: [`${service.name}.${gateway.hostname ?? `${workload}.${namespace}`}`],
      rules: [{ backendRefs: named.map(({ name }, index) => ({ name, port: service.port, weight: weights[index] ?? 0 })) }],
    },
  };
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : Number(a.name > b.name);
}
