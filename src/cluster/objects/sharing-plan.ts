import * as z from 'zod';
import type { Condition, KubeObject } from '../client/object-types.js';
import { conditionSchema } from './conditions.js';

const hash = z
  .string()
  .max(71)
  .regex(/^sha256:[0-9a-f]{64}$/);

/** A plan and the steps to it, as the operator computed them; never changed once written. */
export const sharingPlanSpecSchema = z.object({
  group: z.string().min(1).max(63).describe('The workloads that share pools are one group, named for their first pool.'),
  sequence: z.int().min(1).describe('Of the plans of a group the highest counts.'),
  workloads: z
    .array(z.object({ namespace: z.string().max(63), name: z.string().max(253), uid: z.string().max(63), generation: z.int() }))
    .max(10_000)
    .describe('What the plan was made for.'),
  planId: hash.describe('Hash of what shall run.'),
  stateHash: hash.describe('Hash of what ran when the plan was made; an approval is for this pair.'),
  inputHash: hash.describe('Hash of the demand, the tables and the pools.'),
  hardwareHash: hash.describe('Hash of the GPUs that may be used.'),
  gpus: z.int().min(0).describe('GPUs in use at the end.'),
  bound: z.int().min(0).describe('Proven lower limit of GPUs; where cost is minimised, the fewest that can cost as much as costBound.'),
  cost: z.number().min(0).optional().describe('Price of the GPUs in use at the end; where pools have different prices, plans minimise it.'),
  costBound: z.number().min(0).optional().describe('Proven lower limit of the cost.'),
  services: z
    .array(
      z.object({
        key: z.string().describe('namespace.workload.service'),
        rateRps: z.number().describe('Demand at the end.'),
        floorRps: z.number().describe('Ready throughput that is kept on the way.'),
        plannedRps: z.number().describe('Throughput of its pods at the end.'),
        types: z
          .array(z.object({ gpuModel: z.string(), profile: z.string(), batch: z.int(), processes: z.int(), plannedRps: z.number() }))
          .max(10_000)
          .optional()
          .describe('What one pod of a type may be given under the latency rule, requests per second: the weights of routes.'),
      }),
    )
    .max(20_000),
  dips: z
    .array(z.object({ service: z.string(), rps: z.number(), seconds: z.number(), requests: z.number() }))
    .max(20_000)
    .optional()
    .describe('Services that fall below min(old, new demand) on the way, by how much: such a plan needs an approval.'),
  summary: z
    .object({ podStarts: z.int(), podStops: z.int(), wipes: z.int(), kept: z.int(), seconds: z.number() })
    .describe('What changes, and how long that is expected to take.'),
  transition: z
    .any()
    .optional()
    .meta({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true })
    .describe('Document of kind Transition: what shall run, and the steps to it.'),
  transitionRef: z
    .object({ namespace: z.string(), name: z.string(), chunks: z.int().min(1) })
    .optional()
    .describe('In place of transition when it is large: gzip in ConfigMaps NAME-0 to NAME-(chunks − 1), key data.'),
});

export const sharingPlanStatusSchema = z.object({
  phase: z.enum(['Proposed', 'Applying', 'Ready', 'Superseded']).optional(),
  steps: z
    .object({ total: z.int(), done: z.int(), running: z.array(z.string()) })
    .optional()
    .describe('Progress.'),
  doneSteps: z.array(z.string()).optional().describe('Ids of the steps whose effect was seen.'),
  conditions: z.array(conditionSchema).optional(),
});

/** The size of a plan beside what is proven, in words: `5 GPUs, proven bound 4`. */
export function describeSize({ gpus, bound, cost, costBound }: Pick<SharingPlanSpec, 'gpus' | 'bound' | 'cost' | 'costBound'>): string {
  if (cost === undefined || costBound === undefined) return `${gpus} GPUs, proven bound ${bound}`;
  return `${gpus} GPUs at a cost of ${cost}, proven bound ${costBound}`;
}

/** Says yes to one plan in one state of the cluster. */
export const planApprovalSpecSchema = z.object({
  sharingPlan: z.string().min(1).max(253).describe('Name of the SharingPlan.'),
  planId: hash.describe('As in the SharingPlan: an approval of anything else does not count.'),
  stateHash: hash.describe('As in the SharingPlan: when the state has changed, the approval has expired.'),
});

export type SharingPlanSpec = z.infer<typeof sharingPlanSpecSchema>;
export type SharingPlanStatus = z.infer<typeof sharingPlanStatusSchema>;

export interface SharingPlan extends KubeObject {
  readonly spec: SharingPlanSpec;
  readonly status?: Omit<SharingPlanStatus, 'conditions'> & { readonly conditions?: readonly Condition[] };
}

export interface PlanApproval extends KubeObject {
  readonly spec: z.infer<typeof planApprovalSpecSchema>;
}
