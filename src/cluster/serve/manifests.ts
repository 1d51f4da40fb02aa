import { createHash } from 'node:crypto';
import { canonicalJson } from '../../demand/documents/canonical.js';
import type { PodRequest } from '../backends/backend.js';
import type { Container, Deployment, OwnerReference, PodDisruptionBudget, PodTemplateSpec, Service } from '../client/object-types.js';
import type { PodType } from '../decide/own-pods.js';
import type { ClusterService } from '../objects/inference-workload.js';
import { annotations, inPlanGate, labels, managedBy, modelLabel, slotGate } from '../objects/names.js';
import { writeAffinity } from './choose-nodes.js';
import { deploymentName, serviceName } from './names.js';

/** A service of a workload as it is served. */
export interface ServedService {
  readonly namespace: string;
  readonly workload: string;
  readonly service: ClusterService;
  /** Present in a cluster, where what is made goes away with the workload. */
  readonly owner?: OwnerReference;
}

/** Pods of one type: how many, what one delivers, and how they ask for their slice. */
export interface ServedType extends Omit<PodType, 'service'> {
  readonly replicas: number;
  readonly capacityRps: number;
  readonly request: PodRequest;
  /** Labels of the nodes that have the slice; for pods to which nobody gives a node. */
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  /** Values of `nvidia.com/gpu.product` on those nodes, in place of a selector. */
  readonly products?: readonly string[] | undefined;
}

export const selectorOf = ({ workload, service }: ServedService) => ({
  ...managedBy,
  [labels.workload]: workload,
  [labels.service]: service.name,
});

/** Labels of the pods of one type of a service. */
export const typeSelectorOf = (served: ServedService, { gpuModel, profile, batch, processes }: Omit<PodType, 'service'>) => ({
  ...selectorOf(served),
  [labels.gpuModel]: modelLabel(gpuModel),
  [labels.profile]: profile.replaceAll('+', '.'),
  [labels.batch]: String(batch),
  [labels.processes]: String(processes),
});

/** The Deployment of the pods of one type. With `gated` a pod waits until it is given a slot, and serves only while it is in the plan. */
export function writeDeployment(served: ServedService, type: ServedType, gated = true): Deployment {
  const { namespace, workload, service, owner } = served;
  const selector = typeSelectorOf(served, type);
  const template = writeTemplate(service, type, selector, gated);
  const content = createHash('sha256').update(canonicalJson(template)).digest('hex').slice(0, 12);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: deploymentName(workload, service.name, type),
      namespace,
      labels: selector,
      annotations: { [annotations.capacityRps]: String(type.capacityRps), [annotations.content]: content },
      ...(owner && { ownerReferences: [owner] }),
    },
    spec: {
      replicas: type.replicas,
      selector: { matchLabels: selector },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      // Pods may wait for a slot as long as the transition takes.
      progressDeadlineSeconds: 86_400,
      template: {
        ...template,
        metadata: { ...template.metadata, labels: { ...template.metadata?.labels, [annotations.content]: content } },
      },
    },
  };
}

function writeTemplate(
  service: ClusterService,
  type: ServedType,
  selector: Readonly<Record<string, string>>,
  gated: boolean,
): PodTemplateSpec {
  const { template } = service;
  const { spec } = template;
  const containers = spec.containers.map((container): Container => {
    if (container.name !== 'server') return container;
    const { resources: gpu, resourceClaims: claims = [] } = type.request;
    return {
      ...container,
      env: [
        ...(container.env ?? []).filter(({ name }) => name !== 'INLAY_BATCH' && name !== 'INLAY_PROCESSES'),
        { name: 'INLAY_BATCH', value: String(type.batch) },
        { name: 'INLAY_PROCESSES', value: String(type.processes) },
      ],
      resources: {
        ...container.resources,
        requests: { ...container.resources?.requests, ...gpu },
        limits: { ...container.resources?.limits, ...gpu },
        ...(claims.length > 0 && { claims: claims.map(({ name }) => ({ name })) }),
      },
    };
  });
  return {
    metadata: {
      labels: { ...template.metadata?.labels, ...selector },
      ...(template.metadata?.annotations && { annotations: template.metadata.annotations }),
    },
    spec: {
      ...spec,
      containers,
      ...(type.request.resourceClaims && { resourceClaims: type.request.resourceClaims }),
      ...(type.nodeSelector && { nodeSelector: { ...spec.nodeSelector, ...type.nodeSelector } }),
      ...(type.products && { affinity: writeAffinity(spec, type.products) }),
      ...(gated && {
        schedulingGates: [{ name: slotGate }],
        readinessGates: [...(spec.readinessGates ?? []), { conditionType: inPlanGate }],
      }),
    },
  };
}

/** What the objects that stand for a service as a whole are called. */
function metadataOf(served: ServedService): Service['metadata'] {
  const { namespace, workload, service, owner } = served;
  return {
    name: serviceName(workload, service.name),
    namespace,
    labels: selectorOf(served),
    ...(owner && { ownerReferences: [owner] }),
  };
}

/** The Service in front of all pods of a service, whatever their slices. */
export function writeService(served: ServedService): Service {
  const { service } = served;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(served),
    spec: { selector: selectorOf(served), ports: [{ name: 'serve', port: service.port, targetPort: service.port }] },
  };
}

/** Keeps others from evicting more pods of a service than its floor allows: `minAvailable` pods stay. */
export function writeBudget(served: ServedService, minAvailable: number): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadataOf(served),
    spec: { minAvailable, selector: { matchLabels: selectorOf(served) }, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
  };
}

/** The fewest pods that can deliver a rate, given what each delivers: an eviction that keeps the rate never leaves fewer. */
export function fewestPods(capacitiesRps: readonly number[], rateRps: number): number {
  let sum = 0;
  let pods = 0;
  for (const capacity of capacitiesRps.toSorted((a, b) => b - a)) {
    if (sum >= rateRps * (1 - 1e-9)) break;
    sum += capacity;
    pods++;
  }
  return pods;
}
