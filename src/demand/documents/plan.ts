import * as z from 'zod';
import { apiVersionSchema, batchSchema, metadataSchema, nameSchema, processesSchema, rateSchema, startSchema } from './common.js';
import { provenBoundSchema } from './proven-bound.js';

const capacity = z.number().min(0).describe('Requests per second.');

export const planInstanceSchema = z
  .strictObject({
    profile: nameSchema,
    start: startSchema,
    service: nameSchema,
    batch: batchSchema,
    processes: processesSchema,
    capacityRps: capacity.describe('Measured throughput of the row, requests per second.'),
    plannedCapacityRps: capacity.describe('Throughput times the largest load the latency rule allows, requests per second.'),
    weight: z.number().min(0).max(1).describe('Share of the service’s requests: plannedCapacityRps ÷ the service’s sum.'),
    plannedLoad: z.number().min(0).describe('weight × rateRps ÷ capacityRps.'),
    predictedP99Ms: z
      .number()
      .nullable()
      .describe('Predicted latency at the rule’s percentile, ms; null above load 0.98 under the factor rule.'),
  })
  .describe('One placed slice with the service on it.');

export const planGpuSchema = z
  .strictObject({
    id: nameSchema,
    pool: nameSchema,
    type: nameSchema.describe('GPU model.'),
    occupied: z
      .array(z.strictObject({ profile: nameSchema, start: startSchema }))
      .optional()
      .describe('Instances of others on this GPU, left alone.'),
    instances: z.array(planInstanceSchema),
    count: z
      .number()
      .int()
      .min(2)
      .max(1e9)
      .optional()
      .describe('Only in plans of more than 250,000 instances: so many GPUs are cut and used exactly so; their ids number on from `id`.'),
  })
  .describe('One GPU and how it is cut; of a very large plan, some GPUs that are alike.');

export const planServiceSchema = z
  .strictObject({
    name: nameSchema,
    rateRps: rateSchema.describe('Required rate, requests per second.'),
    capacityRps: capacity,
    plannedCapacityRps: capacity,
    instances: z.number().int().min(0),
    limitedBy: z
      .enum(['latency', 'memory', 'profile', 'batch', 'processes', 'utilization', 'none'])
      .describe('The rule without which the service would get more from its slices.'),
    factor: z.number().min(0).optional().describe('max-min only: share of the rate that the plan delivers.'),
  })
  .describe('What a service gets.');

const pricesSchema = z.record(nameSchema, z.record(nameSchema, z.number().min(0)));

export const certificateSchema = z
  .strictObject({
    slicePrices: pricesSchema.describe('Price of one instance, by pool and profile.'),
    poolPrices: z.record(nameSchema, z.number().min(0)).describe('Price of using up a limited pool, per GPU.'),
  })
  .describe('Prices at which no layout is worth more than its GPU costs, so that every plan costs at least the services’ cheapest covers.');

const checkSchema = z
  .strictObject({
    rule: z.literal('tight').describe('Form of the latency rule that the plan was made with, whatever the workload says.'),
    depth: z.enum(['quick', 'full']).describe('full: verified with another seed and three times the length.'),
    seed: z.number().int(),
    services: z.array(
      z.strictObject({
        name: nameSchema,
        verdict: z.enum(['meets', 'misses', 'unsettled']).describe('unsettled: no run was long enough to tell.'),
        requests: z.number().int().min(0).describe('Requests simulated.'),
        percentileMs: z.number().min(0).optional().describe('Simulated latency at the service’s percentile, ms.'),
        within: z.number().min(0).max(1).optional().describe('Simulated share of the requests within the limit.'),
      }),
    ),
  })
  .describe('What a simulation said of the plan: evidence, not proof.');

const changeSchema = z
  .strictObject({
    podStarts: provenBoundSchema.describe('Pods that do not run there yet, at this number of GPUs (or cost).'),
    instanceCreations: provenBoundSchema.describe('Instances that are not there yet, at these pod starts.'),
    gpusTouched: provenBoundSchema.describe('GPUs that change, at these instance creations.'),
  })
  .describe('What the plan changes of what runs, where it was made onto that (`--current`).');

/** A `Plan` document: GPUs, layouts, operating points, and the proof that no plan is smaller. */
export const planSchema = z
  .strictObject({
    apiVersion: apiVersionSchema,
    kind: z.literal('Plan'),
    metadata: metadataSchema.extend({
      id: z
        .string()
        .regex(/^sha256:[0-9a-f]{64}$/)
        .describe('Hash of the canonical JSON without this field.'),
    }),
    objective: z.enum(['gpus', 'cost', 'max-min']),
    strategy: nameSchema,
    gpus: z.array(planGpuSchema),
    services: z.array(planServiceSchema),
    totals: z.strictObject({
      gpus: z.number().int().min(0),
      cost: z.number().min(0),
      instances: z.number().int().min(0),
      factor: z.number().min(0).optional().describe('max-min only: the largest common factor of the class that is cut.'),
    }),
    bound: z
      .strictObject({
        value: z.number().min(0).describe('Proven limit: GPUs or cost from below, or (max-min) the factor from above.'),
        gpus: z.number().int().min(0).optional().describe('Proven number of GPUs: value rounded up (objective gpus only).'),
        certificate: certificateSchema,
      })
      .describe('The proof.'),
    gap: z.number().min(0).describe('(achieved − bound) ÷ achieved; for max-min (bound − factor) ÷ bound.'),
    gapGpus: z.number().int().min(0).optional().describe('GPUs − bound.gpus (objective gpus only).'),
    optimal: z.boolean().describe('Whether no better plan exists, proven.'),
    stoppedBy: z.enum(['proof', 'time', 'interrupt', 'rounds']),
    change: changeSchema.optional(),
    check: checkSchema.optional(),
  })
  .meta({ title: 'Inlay Plan' });

export type PlanDocument = z.infer<typeof planSchema>;
export type PlanGpu = z.infer<typeof planGpuSchema>;
export type PlanInstance = z.infer<typeof planInstanceSchema>;
export type PlanService = z.infer<typeof planServiceSchema>;
export type Certificate = z.infer<typeof certificateSchema>;
export type LimitedBy = PlanService['limitedBy'];
