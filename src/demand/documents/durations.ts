import * as z from 'zod';
import { apiVersionSchema, metadataSchema } from './common.js';
import { stepDurationsSchema } from './transition.js';

/** A `Durations` document: how long the steps of a transition take; a kind that is left out keeps its default. */
export const durationsSchema = z
  .strictObject({
    apiVersion: apiVersionSchema,
    kind: z.literal('Durations'),
    metadata: metadataSchema.optional(),
    spec: stepDurationsSchema
      .partial()
      .describe(
        'Expected seconds of each kind of step. Defaults: create-instance 1, delete-instance 0.7, start-pod 30, stop-pod 5, wipe-gpu 5.',
      ),
  })
  .meta({ title: 'Inlay Durations' });
