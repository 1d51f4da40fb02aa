import type * as z from 'zod';
import type { CustomResourceDefinition } from '../client/object-types.js';
import { gpuPoolSpecSchema, gpuPoolStatusSchema } from './gpu-pool.js';
import { inferenceWorkloadSpecSchema, inferenceWorkloadStatusSchema } from './inference-workload.js';
import { group, type NameRule, poolName, version, workloadName } from './names.js';
import { nodeStateSpecSchema } from './node-state.js';
import { planApprovalSpecSchema, sharingPlanSpecSchema, sharingPlanStatusSchema } from './sharing-plan.js';
import { structuralSchema } from './structural-schema.js';

interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'date';
  readonly jsonPath: string;
  /** 1: shown by `kubectl get -o wide` only. */
  readonly priority?: 1;
}

interface Kind {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly description: string;
  readonly spec: z.ZodType;
  readonly status?: z.ZodType;
  /** What plans are made of does not change under them. */
  readonly immutable?: true;
  /** Which names are allowed besides what every object may be called. */
  readonly name?: NameRule;
  readonly columns: readonly Column[];
}

const condition = (type: string): Column => ({ name: type, type: 'string', jsonPath: `.status.conditions[?(@.type=="${type}")].status` });
const age: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
const column = (name: string, type: Column['type'], jsonPath: string): Column => ({ name, type, jsonPath });

const kinds: readonly Kind[] = [
  {
    kind: 'GpuPool',
    plural: 'gpupools',
    shortName: 'gpool',
    scope: 'Cluster',
    description: 'GPUs of one model that workloads may share: nodes, price, limit, and how they are cut.',
    name: poolName,
    spec: gpuPoolSpecSchema,
    status: gpuPoolStatusSchema,
    columns: [
      column('GPU', 'string', '.spec.gpu'),
      column('Backend', 'string', '.spec.backend'),
      column('Nodes', 'integer', '.status.nodes'),
      column('GPUs', 'integer', '.status.gpus'),
      column('Used', 'integer', '.status.gpusUsed'),
      column('Reserved', 'integer', '.status.gpusReserved'),
      column('Free slices', 'integer', '.status.freeSlices'),
      age,
    ],
  },
  {
    kind: 'InferenceWorkload',
    plural: 'inferenceworkloads',
    shortName: 'iwl',
    scope: 'Namespaced',
    description: 'Services with rates and latency limits, and the pods that serve them.',
    name: workloadName,
    spec: inferenceWorkloadSpecSchema,
    status: inferenceWorkloadStatusSchema,
    columns: [
      column('Mode', 'string', '.spec.mode'),
      column('GPUs', 'integer', '.status.gpus'),
      column('Bound', 'number', '.status.bound'),
      column('Services', 'string', '.status.ready'),
      column('Capacity', 'string', '.status.capacity'),
      condition('Ready'),
      column('Plan', 'string', '.status.sharingPlan'),
      age,
    ],
  },
  {
    kind: 'SharingPlan',
    plural: 'sharingplans',
    shortName: 'splan',
    scope: 'Cluster',
    description: 'A plan, the steps to it, and how far they are. Written by the operator alone.',
    spec: sharingPlanSpecSchema,
    status: sharingPlanStatusSchema,
    immutable: true,
    columns: [
      column('Phase', 'string', '.status.phase'),
      column('GPUs', 'integer', '.spec.gpus'),
      column('Bound', 'integer', '.spec.bound'),
      column('Starts', 'integer', '.spec.summary.podStarts'),
      column('Wipes', 'integer', '.spec.summary.wipes'),
      column('Done', 'integer', '.status.steps.done'),
      column('Steps', 'integer', '.status.steps.total'),
      { ...column('Cost', 'number', '.spec.cost'), priority: 1 },
      { ...column('Cost bound', 'number', '.spec.costBound'), priority: 1 },
      age,
    ],
  },
  {
    kind: 'PlanApproval',
    plural: 'planapprovals',
    shortName: 'pa',
    scope: 'Cluster',
    description: 'A yes to one SharingPlan in one state of the cluster.',
    spec: planApprovalSpecSchema,
    immutable: true,
    columns: [column('Plan', 'string', '.spec.sharingPlan'), age],
  },
  {
    kind: 'NodeState',
    plural: 'nodestates',
    shortName: 'gns',
    scope: 'Cluster',
    description: 'How the GPUs of a node are cut and which pod holds which instance. Written by the agent of the node alone.',
    spec: nodeStateSpecSchema,
    columns: [column('Driver', 'string', '.spec.driver'), column('Observed', 'date', '.spec.observedAt'), age],
  },
];

/** The CustomResourceDefinitions of all own kinds, ready to apply. */
export function customResourceDefinitions(): readonly CustomResourceDefinition[] {
  return kinds.map(define);
}

function define({ kind, plural, shortName, scope, description, spec, status, immutable, name, columns }: Kind): CustomResourceDefinition {
  const specSchema = structuralSchema(spec);
  if (immutable) {
    specSchema['x-kubernetes-validations'] = [
      { rule: 'self == oldSelf', message: `the spec of a ${kind} cannot be changed: make a new one` },
    ];
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames: [shortName] },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(status && { subresources: { status: {} } }),
          additionalPrinterColumns: columns,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description,
              required: ['spec'],
              ...(name && { 'x-kubernetes-validations': [nameValidation(name)] }),
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { type: 'object' },
                spec: specSchema,
                ...(status && { status: structuralSchema(status) }),
              },
            },
          },
        },
      ],
    },
  };
}

function nameValidation({ pattern, longest, message }: NameRule) {
  const rule = `self.metadata.name.size() <= ${longest} && self.metadata.name.matches('${pattern.source}')`;
  return { rule, message };
}
