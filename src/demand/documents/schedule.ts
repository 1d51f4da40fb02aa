import * as z from 'zod';
import { apiVersionSchema, metadataSchema } from './common.js';

/** Most periods in one schedule: a year of hours is 8784. */
export const maxPeriods = 10_000;

const fileSchema = z.string().min(1).max(4096);
const momentSchema = z.number().min(0).max(1e9);

export const periodSchema = z
  .strictObject({
    startS: momentSchema.describe('When the rates of the workload begin to hold, seconds. The first period starts at 0.'),
    workload: fileSchema.describe('Workload whose rates and limits hold; path relative to this file.'),
    plan: fileSchema.optional().describe('Plan that runs from startS on, all at once.'),
    state: fileSchema.optional().describe('State that runs from startS on, all at once: in place of plan where a transition follows.'),
    transition: fileSchema.optional().describe('Transition that leads from what ran before to what runs now.'),
    movesAtS: momentSchema
      .optional()
      .describe('When the transition starts, seconds; earlier than startS where rates rise. Default startS.'),
  })
  .describe('Rates, and what serves them. Exactly one of plan, state and transition; none where everything stays as it is.');

/** A `Schedule` document: rates and plans over time. */
export const scheduleSchema = z
  .strictObject({
    apiVersion: apiVersionSchema,
    kind: z.literal('Schedule'),
    metadata: metadataSchema,
    spec: z.strictObject({
      endS: z.number().gt(0).max(1e9).describe('When the last period ends, seconds.'),
      periods: z.array(periodSchema).min(1).max(maxPeriods),
    }),
  })
  .meta({ title: 'Inlay Schedule' });

export type ScheduleDocument = z.infer<typeof scheduleSchema>;
