import * as z from 'zod';
import { apiVersionSchema, batchSchema, latencyLimitSchema, metadataSchema, nameSchema, processesSchema, rateSchema } from './common.js';

/** Most services in one workload. */
export const maxServices = 20_000;
/** Most pools in one workload. */
export const maxPools = 64;

const durationPattern = /^\d+(\.\d+)?(ms|s|m|h)$/;

const percentileRuleSchema = z
  .strictObject({
    percentile: z.number().min(50).lt(100).describe('Share of requests, in percent, that must meet the limit.'),
    burstiness: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .describe('Coefficient of variation of the gaps between arrivals; 1 is Poisson. Default 1.'),
    router: z.enum(['round-robin', 'random']).optional().describe('How requests are spread over instances. Default round-robin.'),
    rule: z
      .enum(['safe', 'tight'])
      .optional()
      .describe('Form of the prediction; tight is meant to be checked by simulation. Default safe.'),
    trace: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('Recorded arrivals whose shape the traffic has, at the mean rate rateRps; path relative to this file.'),
    window: z
      .string()
      .regex(durationPattern, 'a duration such as 500ms, 30s or 5m')
      .optional()
      .describe('With trace: length of the windows in which rates are counted. Default 30s.'),
    quantile: z
      .number()
      .gt(0)
      .max(1)
      .optional()
      .describe('With trace: share of the requests that fall into windows of at most the planned rate. Default 0.99.'),
  })
  .describe('Rows are derated so that the predicted percentile at the planned load meets the limit.');

const factorRuleSchema = z
  .strictObject({ factor: z.number().gt(0).max(10).describe('A row is usable if its latency is below factor × limit.') })
  .describe("The papers' rule, which ignores load; for comparison.");

export const latencyRuleSchema = z.union([percentileRuleSchema, factorRuleSchema]).describe('Which rows meet a latency limit.');

export const poolSchema = z
  .strictObject({
    name: nameSchema,
    gpu: nameSchema.describe('GPU model: a name of `inlay gpus`, a short form, or a product name.'),
    count: z.number().int().min(0).max(10_000_000).optional().describe('Most GPUs that may be used. Default: no limit.'),
    price: z.number().gt(0).max(1e9).optional().describe('Price of one GPU, in any unit. Default 1.'),
    profiles: z.array(nameSchema).max(64).optional().describe('Allowed MIG profiles. Default: every profile that has rows.'),
    exclude: z.array(nameSchema).max(64).optional().describe('MIG profiles that may not be used.'),
    mig: z.boolean().optional().describe('Whether MIG is on. Default: on where the model has MIG.'),
    forbid4gWith3g: z.boolean().optional().describe('For drivers before R510, which cannot hold a 4g and a 3g on one GPU. Default false.'),
  })
  .describe('GPUs of one model that may be used.');

export const serviceSchema = z
  .strictObject({
    name: nameSchema,
    model: nameSchema.describe('Model name as in the performance tables.'),
    rateRps: rateSchema,
    latencyMs: latencyLimitSchema,
    minReplicas: z.number().int().min(1).max(100_000).optional().describe('Instances at least, on as many different GPUs. Default 1.'),
    maxUtilization: z.number().gt(0).max(1).optional().describe('Largest share of a row’s throughput that may be planned. Default 1.'),
    pools: z.array(nameSchema).min(1).max(maxPools).optional().describe('Names of the pools the service may use. Default: all.'),
    profiles: z.array(nameSchema).min(1).max(64).optional().describe('Profiles the service may use. Default: all.'),
    maxBatch: batchSchema.optional().describe('Largest batch size. Default: no limit.'),
    priority: z.number().int().min(-1_000_000).max(1_000_000).optional().describe('For max-min: higher is served first. Default 0.'),
    latency: latencyRuleSchema.optional().describe('Latency rule of this service in place of the workload’s.'),
  })
  .describe('A model with a required rate and a latency limit.');

/** A `Workload` document: what must be delivered, on which GPUs, by which measurements. */
export const workloadSchema = z
  .strictObject({
    apiVersion: apiVersionSchema,
    kind: z.literal('Workload'),
    metadata: metadataSchema,
    spec: z.strictObject({
      performance: z.array(z.string().min(1).max(4096)).min(1).max(100).describe('Performance tables (CSV); paths relative to this file.'),
      latency: latencyRuleSchema.optional().describe('Default rule: {percentile: 99}.'),
      processes: z
        .strictObject({ max: processesSchema })
        .optional()
        .describe('Processes of one model per instance. Default: as many as were measured.'),
      pools: z.array(poolSchema).min(1).max(maxPools),
      services: z.array(serviceSchema).min(1).max(maxServices),
    }),
  })
  .meta({ title: 'Inlay Workload' });

export type WorkloadDocument = z.infer<typeof workloadSchema>;
