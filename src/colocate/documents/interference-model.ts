import * as z from 'zod';
import { apiVersionSchema, metadataSchema, nameSchema } from '../../demand/documents/common.js';

/** Far more than any fit gives: beyond, predictions would overflow. */
const finite = z.number().min(-1e9).max(1e9);
const perTrait = <T extends z.ZodType>(value: T) => z.strictObject({ alone: value, sensitivity: value, pressure: value });
const index = z.number().int().min(0).max(10_000);
const percent = z.number().min(0).nullable();

const errorsSchema = z
  .strictObject({
    low: finite.describe('5 % of the members came out below this.'),
    cautious: finite.describe('10 % of the members came out below this.'),
    high: finite.describe('5 % of the members came out above this.'),
  })
  .describe('Quantiles of the logarithm of measured ÷ predicted, out of fold, in units of the predicted spread.');

const measuredGroupSchema = z.strictObject({
  id: nameSchema,
  members: z.array(nameSchema).min(2).max(48),
  rates: z.array(z.number().gt(0)).min(2).max(48),
});

/** An `InterferenceModel` document: all that predictions need, readable. */
export const interferenceModelSchema = z
  .strictObject({
    apiVersion: apiVersionSchema,
    kind: z.literal('InterferenceModel'),
    metadata: metadataSchema,
    training: z
      .strictObject({
        groups: z.array(measuredGroupSchema).min(1).max(20_000).describe('What it was trained on.'),
        largestGroup: z.number().int().min(2).max(48),
        folds: z.number().int().min(0),
        totalErrorPercent: percent.describe('Mean absolute error of group totals, out of fold; null when there were too few groups.'),
        memberErrorPercent: percent.describe('Mean absolute error of members, out of fold; null when there were too few groups.'),
      })
      .describe('The training groups and the errors that cross-validation found.'),
    scale: z
      .strictObject({ names: z.array(nameSchema), means: z.array(finite), deviations: z.array(z.number().min(1e-9).max(1e9)) })
      .describe('Features and their scaling.'),
    workloads: z
      .array(
        z.strictObject({
          name: nameSchema,
          family: nameSchema,
          logBatch: finite.describe('Binary logarithm of the batch size.'),
          features: z.array(finite).describe('Scaled, in the order of `scale.names`.'),
          presence: z.number().min(0).max(1).describe('How much of its effect on others counts; below 1 for a nearly idle workload.'),
          ceiling: z.number().min(1).describe('Largest share of its exclusive rate that can be right: above 1 only if measured.'),
        }),
      )
      .min(1)
      .max(10_000),
    contention: z.strictObject({
      intercepts: z.strictObject({ alone: finite, sensitivity: finite }),
      trends: perTrait(z.array(finite)).describe('One weight for each of the first features.'),
      offsetWeights: perTrait(z.array(finite)).describe('One weight for each workload.'),
    }),
    correction: z
      .array(z.strictObject({ member: index, others: z.array(index).min(1), weight: finite }))
      .describe('What measured groups tell beyond the contention model; indices into `workloads`.'),
    errors: z
      .strictObject({ known: errorsSchema, newBatch: errorsSchema, newFamily: errorsSchema })
      .describe('By what is new in a group: nothing, a batch size of a known family, or a family.'),
  })
  .meta({ title: 'Inlay InterferenceModel' });

export type InterferenceModel = z.infer<typeof interferenceModelSchema>;
