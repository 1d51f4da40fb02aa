import * as z from 'zod';
import { type InferenceWorkload, inferenceWorkloadSpecSchema } from '../cluster/objects/inference-workload.js';
import { groupVersion } from '../cluster/objects/names.js';
import { nameSchema } from '../demand/documents/common.js';
import { limits } from '../formats/limits.js';
import { readDocument } from '../formats/read-document.js';

const schema = z.object({
  apiVersion: z.literal(groupVersion),
  kind: z.literal('InferenceWorkload'),
  metadata: z.looseObject({ name: nameSchema, namespace: nameSchema.optional() }),
  spec: inferenceWorkloadSpecSchema,
});

/** Reads an InferenceWorkload from a file, for its pod templates. Throws InlayError with every problem and its place. */
export async function readTemplates(file: string): Promise<InferenceWorkload> {
  const { document } = await readDocument(file, 'InferenceWorkload', schema, limits.documentBytes.value);
  return document as unknown as InferenceWorkload;
}
