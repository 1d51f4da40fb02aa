import * as z from 'zod';
import { type InferenceWorkload, inferenceWorkloadSpecSchema } from '../cluster/objects/inference-workload.js';
import { groupVersion, workloadName } from '../cluster/objects/names.js';
import { limits } from '../formats/limits.js';
import { readDocument } from '../formats/read-document.js';

const namespaceSchema = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

const schema = z.object({
  apiVersion: z.literal(groupVersion),
  kind: z.literal('InferenceWorkload'),
  metadata: z.looseObject({
    name: z.string().max(workloadName.longest).regex(workloadName.pattern, workloadName.message),
    namespace: namespaceSchema.optional(),
  }),
  spec: inferenceWorkloadSpecSchema,
});

/** Reads an InferenceWorkload from a file, for its pod templates. Throws InlayError with every problem and its place. */
export async function readTemplates(file: string): Promise<InferenceWorkload> {
  const { document } = await readDocument(file, 'InferenceWorkload', schema, limits.documentBytes.value);
  return document as unknown as InferenceWorkload;
}
