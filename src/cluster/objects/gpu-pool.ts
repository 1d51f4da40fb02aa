import * as z from 'zod';
import { nameSchema } from '../../demand/documents/common.js';
import type { Condition, KubeObject } from '../client/object-types.js';
import { conditionSchema } from './conditions.js';

const kubernetesName = z.string().min(1).max(253);

const maintenanceWindowSchema = z
  .object({
    days: z
      .array(z.enum(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']))
      .min(1)
      .max(7),
    start: z
      .string()
      .max(5)
      .regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/)
      .describe('Start of the window, HH:MM in UTC.'),
    durationMinutes: z.int().min(1).max(10_080).describe('Length of the window, minutes.'),
  })
  .describe('When GPUs may be re-cut and pods moved; without a window always.');

/** What an administrator says of GPUs that may be shared: which nodes, what they cost, who may use them, how they are cut. */
export const gpuPoolSpecSchema = z.object({
  gpu: nameSchema.describe('GPU model: a name of `inlay gpus`, a short form, or a product name.'),
  nodeSelector: z
    .record(z.string(), z.string())
    .describe('Labels that a node of the pool has. Two pools may not claim one node.')
    .meta({ minProperties: 1 }),
  price: z
    .number()
    .gt(0)
    .max(1e9)
    .optional()
    .describe(
      'Price of one GPU, in any unit. Default 1. Where pools that are planned together have different prices, plans cost as little as possible; else they use as few GPUs as possible.',
    ),
  limit: z.int().min(0).max(100_000).optional().describe('Most GPUs that plans may use. Default: all of the nodes.'),
  backend: z
    .enum(['mig-manager', 'manual'])
    .describe(
      "mig-manager: the GPU Operator's; a GPU is wiped, one step a node at a time. manual: a person cuts GPUs and starts pods, by files beside the plan.",
    ),
  maxExtraGpus: z
    .int()
    .min(0)
    .max(100_000)
    .optional()
    .describe('Most GPUs used on the way above start and target. Default: the free ones.'),
  namespaces: z.array(z.string().min(1).max(63)).min(1).max(256).describe('Namespaces that may use the pool, or "*" alone.'),
  profiles: z.array(nameSchema).max(64).optional().describe('Allowed MIG profiles. Default: every profile that has rows.'),
  exclude: z.array(nameSchema).max(64).optional().describe('MIG profiles that may not be used.'),
  maintenanceWindows: z.array(maintenanceWindowSchema).max(32).optional(),
  migManager: z
    .object({
      namespace: kubernetesName.describe('Namespace of mig-manager and of its ConfigMap.'),
      configMap: kubernetesName.describe('ConfigMap that mig-manager reads, owned by the operator; its key is config.yaml.'),
      settleSeconds: z
        .int()
        .min(0)
        .max(3600)
        .optional()
        .describe('Time for a new config to reach the pods of mig-manager before a node is told to use it, seconds. Default 75.'),
      timeoutSeconds: z.int().min(1).max(86_400).optional().describe('Time after which a change counts as failed, seconds. Default 900.'),
      retries: z.int().min(0).max(10).optional().describe('Further tries of a failed change before it is rolled back. Default 2.'),
      backoffSeconds: z
        .int()
        .min(0)
        .max(3600)
        .optional()
        .describe('Wait before the first further try, seconds; doubled each time. Default 30.'),
    })
    .optional()
    .describe('Default: gpu-operator/inlay-mig-config.'),
});

export const gpuPoolStatusSchema = z.object({
  observedGeneration: z.int().optional(),
  nodes: z.int().optional(),
  gpus: z.int().optional().describe('GPUs of the nodes.'),
  gpusUsed: z.int().optional().describe('GPUs with at least one pod of a workload.'),
  gpusReserved: z.int().optional().describe('GPUs that others hold or that must not be used.'),
  freeSlices: z.int().optional().describe('Memory slices of usable GPUs on which nothing runs.'),
  conditions: z.array(conditionSchema).optional(),
});

export type GpuPoolSpec = z.infer<typeof gpuPoolSpecSchema>;
export type GpuPoolStatus = z.infer<typeof gpuPoolStatusSchema>;

export interface GpuPool extends KubeObject {
  readonly spec: GpuPoolSpec;
  readonly status?: Omit<GpuPoolStatus, 'conditions'> & { readonly conditions?: readonly Condition[] };
}
