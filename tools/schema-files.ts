import * as z from 'zod';
import { interferenceModelSchema } from '../src/colocate/documents/interference-model.js';
import { jobsSchema } from '../src/colocate/documents/jobs.js';
import { durationsSchema } from '../src/demand/documents/durations.js';
import { planSchema } from '../src/demand/documents/plan.js';
import { scheduleSchema } from '../src/demand/documents/schedule.js';
import { stateSchema } from '../src/demand/documents/state.js';
import { transitionSchema } from '../src/demand/documents/transition.js';
import { workloadSchema } from '../src/demand/documents/workload.js';
import { gpuModelsSchema } from '../src/gpu/gpu-models-document.js';

/** The JSON Schemas (draft 2020-12) of all file kinds, made from the schemas that validate: path from the project's root → text. */
export function schemaFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['schemas/workload.schema.json', schemaText(workloadSchema)],
    ['schemas/plan.schema.json', schemaText(planSchema)],
    ['schemas/state.schema.json', schemaText(stateSchema)],
    ['schemas/transition.schema.json', schemaText(transitionSchema)],
    ['schemas/schedule.schema.json', schemaText(scheduleSchema)],
    ['schemas/durations.schema.json', schemaText(durationsSchema)],
    ['schemas/gpu-models.schema.json', schemaText(gpuModelsSchema)],
    ['schemas/jobs.schema.json', schemaText(jobsSchema)],
    ['schemas/interference-model.schema.json', schemaText(interferenceModelSchema)],
  ]);
}

function schemaText(schema: z.ZodType): string {
  const document = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    override: ({ jsonSchema }) => {
      // What a double can count is no limit of the format.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}
