import * as z from 'zod';
import { batchSchema, latencyLimitSchema, nameSchema, processesSchema } from '../../demand/documents/common.js';
import type { Condition, KubeObject, PodTemplateSpec } from '../client/object-types.js';
import { conditionSchema } from './conditions.js';

const label = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

const latencySchema = z
  .object({
    percentile: z.number().min(50).lt(100).optional().describe('Share of requests, in percent, that must meet the limit. Default 99.'),
    burstiness: z.number().min(0).max(100).optional().describe('Coefficient of variation of the gaps between arrivals. Default 1.'),
    router: z.enum(['round-robin', 'random']).optional().describe('How requests are spread over pods. Default random: kube-proxy is.'),
    rule: z.enum(['safe', 'tight']).optional().describe('Form of the prediction. Default safe.'),
    factor: z
      .number()
      .gt(0)
      .max(10)
      .optional()
      .describe("The papers' rule instead: a row is usable if its latency is below factor × limit."),
  })
  .meta({
    'x-kubernetes-validations': [
      {
        rule: '!has(self.factor) || !(has(self.percentile) || has(self.burstiness) || has(self.router) || has(self.rule))',
        message: 'factor is a rule of its own: leave out percentile, burstiness, router and rule',
      },
    ],
  })
  .describe('Which rows of the tables meet a latency limit.');

const clusterServiceSchema = z.object({
  name: label(30).describe('Name of the service: lower-case letters, digits and dashes.'),
  model: nameSchema.describe('Model name as in the performance tables.'),
  rateRps: z.number().min(0).max(1e9).describe('Requests per second: 0, or 1e-9 to 1e9.'),
  latencyMs: latencyLimitSchema,
  minReplicas: z.int().min(1).max(100_000).optional().describe('Pods at least, on as many different GPUs. Default 1.'),
  latency: latencySchema.optional(),
  maxUtilization: z.number().gt(0).max(1).optional().describe('Largest share of a row’s throughput that may be planned. Default 1.'),
  profiles: z.array(nameSchema).min(1).max(64).optional().describe('Profiles the service may use. Default: all.'),
  maxBatch: batchSchema.optional().describe('Largest batch size. Default: no limit.'),
  priority: z.int().min(-1_000_000).max(1_000_000).optional().describe('Higher is served first where not all can be.'),
  port: z.int().min(1).max(65_535).describe('Port of the container "server".'),
  template: z
    .object({
      metadata: z
        .object({ labels: z.record(z.string(), z.string()).optional(), annotations: z.record(z.string(), z.string()).optional() })
        .optional(),
      spec: z.looseObject({
        containers: z
          .array(z.looseObject({ name: z.string().min(1).max(63) }))
          .min(1)
          .max(16),
      }),
    })
    .meta({
      'x-kubernetes-validations': [
        {
          rule: 'self.spec.containers.exists(c, c.name == "server")',
          message: 'the pod template needs a container named server: it gets the GPU slice and the settings',
        },
      ],
    })
    .describe('Pod template; its container "server" gets the slice, INLAY_BATCH and INLAY_PROCESSES.'),
});

const gatewaySchema = z
  .object({
    name: z.string().min(1).max(253),
    namespace: z.string().min(1).max(63).optional().describe('Default: the namespace of the workload.'),
    hostname: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)
      .optional()
      .describe('A service answers at SERVICE.HOSTNAME. Default: WORKLOAD.NAMESPACE.'),
  })
  .describe('Gateway that spreads requests by the weights of the plan, by one HTTPRoute a service, where the Gateway API is installed.');

/** What a team wants served: models with rates and latency limits, the pods that serve them, and the GPUs to use. */
export const inferenceWorkloadSpecSchema = z.object({
  mode: z.enum(['Plan', 'Apply']).describe('Plan: nothing changes without an approval. Apply: plans are carried out.'),
  pools: z.array(z.string().min(1).max(253)).min(1).max(64).describe('GpuPools to use, by name.'),
  performance: z
    .array(z.object({ configMap: z.string().min(1).max(253), key: z.string().min(1).max(253) }))
    .min(1)
    .max(100)
    .describe('Performance tables (CSV) in ConfigMaps of the same namespace.'),
  latency: latencySchema.optional(),
  processes: z.object({ max: processesSchema }).optional().describe('Processes of one model per slice. Default: as many as were measured.'),
  hysteresis: z
    .object({
      minSavedGpus: z
        .int()
        .min(0)
        .max(100_000)
        .describe(
          'Fewest GPUs that a change must save when demand is met as it is; where pools have different prices, their number times the lowest price.',
        ),
    })
    .optional()
    .describe('Default: a change must save 1 GPU, or be needed to meet a demand.'),
  gateway: gatewaySchema.optional(),
  services: z
    .array(clusterServiceSchema)
    .min(1)
    .max(500)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
});

export const inferenceWorkloadStatusSchema = z.object({
  observedGeneration: z.int().optional(),
  conditions: z.array(conditionSchema).optional(),
  sharingPlan: z.string().optional().describe('SharingPlan that is carried out or proposed.'),
  gpus: z.int().optional().describe('GPUs that the plan uses, with those of workloads that share the pools.'),
  bound: z.number().optional().describe('Proven lower limit of GPUs for them.'),
  ready: z.string().optional().describe('Services whose ready pods meet their rate, of all.'),
  capacity: z
    .string()
    .optional()
    .describe('Ready throughput of the service that is worst off, in per cent of its demand; below 100% a demand is not met.'),
  services: z
    .array(
      z.object({
        name: z.string(),
        rateRps: z.number().describe('Demand, requests per second.'),
        readyRps: z.number().describe('Throughput of the ready pods, requests per second.'),
        plannedRps: z.number().describe('Throughput of the pods that the plan has, requests per second.'),
      }),
    )
    .optional(),
});

export type InferenceWorkloadSpec = z.infer<typeof inferenceWorkloadSpecSchema>;
export type InferenceWorkloadStatus = z.infer<typeof inferenceWorkloadStatusSchema>;
type SpecService = InferenceWorkloadSpec['services'][number];
export type ClusterService = Omit<SpecService, 'template'> & { readonly template: PodTemplateSpec };

export interface InferenceWorkload extends KubeObject {
  readonly spec: Omit<InferenceWorkloadSpec, 'services'> & { readonly services: readonly ClusterService[] };
  readonly status?: Omit<InferenceWorkloadStatus, 'conditions'> & { readonly conditions?: readonly Condition[] };
}
