import * as z from 'zod';
import { apiVersionSchema, metadataSchema, nameSchema } from '../../demand/documents/common.js';

/** Most jobs in one document. */
export const maxJobs = 2000;

export const jobSchema = z
  .strictObject({
    name: nameSchema,
    workload: nameSchema.describe('Workload as in the table of workloads.'),
    maxSlowdown: z.number().min(1).max(1e6).optional().describe('Most times slower than alone. Default: no limit.'),
    weight: z.number().gt(0).max(1e6).optional().describe('How much its share of its own speed counts. Default 1.'),
    exclusive: z.boolean().optional().describe('Keeps a GPU for itself. Default false.'),
    labels: z.array(nameSchema).max(64).optional().describe('Labels that `avoid` of other jobs may name.'),
    avoid: z.array(nameSchema).max(64).optional().describe('Names or labels of jobs that must not share a GPU with this one.'),
  })
  .describe('One run of a workload.');

/** A `Jobs` document: what is to share GPUs, and what a GPU holds. */
export const jobsSchema = z
  .strictObject({
    apiVersion: apiVersionSchema,
    kind: z.literal('Jobs'),
    metadata: metadataSchema.optional(),
    gpu: z.strictObject({ memoryGiB: z.number().gt(0).max(1e6).describe('Usable memory of one GPU.') }),
    jobs: z.array(jobSchema).min(1).max(maxJobs),
  })
  .meta({ title: 'Inlay Jobs' });

export type JobsDocument = z.infer<typeof jobsSchema>;
export type Job = z.infer<typeof jobSchema>;
