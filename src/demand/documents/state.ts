import * as z from 'zod';
import {
  apiVersionSchema,
  batchSchema,
  latencyLimitSchema,
  metadataSchema,
  nameSchema,
  processesSchema,
  rateSchema,
  startSchema,
} from './common.js';

export const stateInstanceSchema = z
  .strictObject({
    profile: nameSchema,
    start: startSchema,
    service: nameSchema.nullable().describe('Service on the instance; null when idle.'),
    batch: batchSchema.optional().describe('Requests in one batch. Default 1.'),
    processes: processesSchema.optional().describe('Processes of one model in the instance. Default 1.'),
    capacityRps: z.number().min(0).optional().describe('Throughput, requests per second.'),
    reserved: z.boolean().optional().describe('Held by others; must not be touched.'),
  })
  .describe('One instance that exists.');

export const stateGpuSchema = z
  .strictObject({
    id: nameSchema,
    pool: nameSchema,
    type: nameSchema.describe('GPU model.'),
    node: nameSchema.optional(),
    index: z.number().int().min(0).max(1023).optional().describe('Index of the GPU on its node.'),
    uuid: nameSchema.optional(),
    reserved: z.boolean().optional().describe('Held by others; must not be touched.'),
    instances: z.array(stateInstanceSchema).max(64),
  })
  .describe('One physical GPU.');

/** A `State` document: what physically runs now. */
export const stateSchema = z
  .strictObject({
    apiVersion: apiVersionSchema,
    kind: z.literal('State'),
    metadata: metadataSchema,
    services: z
      .array(z.strictObject({ name: nameSchema, model: nameSchema, rateRps: rateSchema, latencyMs: latencyLimitSchema }))
      .max(20_000)
      .describe('What the state was planned for.'),
    gpus: z.array(stateGpuSchema).max(100_000),
  })
  .meta({ title: 'Inlay State' });

export type StateDocument = z.infer<typeof stateSchema>;
export type StateGpu = z.infer<typeof stateGpuSchema>;
export type StateInstance = z.infer<typeof stateInstanceSchema>;
