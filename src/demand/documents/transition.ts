import * as z from 'zod';
import { apiVersionSchema, batchSchema, metadataSchema, nameSchema, processesSchema, startSchema } from './common.js';
import { provenBoundSchema } from './proven-bound.js';
import { stateSchema } from './state.js';

/** How instances are changed: one by one, by wiping a GPU, or by wiping with one wipe a node at a time. */
export const backendSchema = z
  .enum(['instance', 'gpu-wipe', 'node'])
  .describe('instance: one by one while neighbours run. gpu-wipe: an emptied GPU at once. node: as gpu-wipe, one wipe a node at a time.');

/** Which capacity must stay above the floor: measured throughput, or throughput times the largest planned load. */
export const floorSchema = z.enum(['raw', 'planned']);

const seconds = z.number().min(0).max(1e9).describe('Seconds.');
const count = z.number().int().min(0);
const gpuSchema = nameSchema.describe('Id of the GPU.');

const durationSchema = z.number().min(0.001).max(1e6).describe('Seconds.');

export const stepDurationsSchema = z
  .strictObject({
    'create-instance': durationSchema,
    'delete-instance': durationSchema,
    'start-pod': durationSchema,
    'stop-pod': durationSchema,
    'wipe-gpu': durationSchema,
  })
  .describe('Expected seconds of each kind of step.');

const stepFields = {
  id: nameSchema,
  gpu: gpuSchema,
  after: z.array(nameSchema).max(100_000).describe('Ids of the steps that must have ended before this one starts.'),
  startS: seconds.describe('Expected start, seconds from the beginning.'),
  endS: seconds.describe('Expected end, seconds from the beginning.'),
};
const instanceFields = { profile: nameSchema, start: startSchema };
const podFields = {
  ...instanceFields,
  service: nameSchema,
  batch: batchSchema,
  processes: processesSchema,
  capacityRps: z.number().min(0).describe('Throughput of the pod, requests per second.'),
};

export const transitionStepSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('create-instance'), ...stepFields, ...instanceFields }),
    z.strictObject({ kind: z.literal('delete-instance'), ...stepFields, ...instanceFields }),
    z.strictObject({ kind: z.literal('start-pod'), ...stepFields, ...podFields }),
    z.strictObject({ kind: z.literal('stop-pod'), ...stepFields, ...podFields }),
    z.strictObject({
      kind: z.literal('wipe-gpu'),
      ...stepFields,
      layout: z.array(z.strictObject(instanceFields)).max(64).describe('Instances of the GPU afterwards; none releases it.'),
    }),
  ])
  .describe('One change of one GPU.');

export const transitionCountsSchema = z
  .strictObject({
    kept: count.describe('Pods that the target has at the same place and that never stop.'),
    podStarts: count.describe('start-pod steps, temporary pods included.'),
    restartsInPlace: count.describe('Pod starts where the same service ran before (same GPU, start and profile).'),
    moves: count.describe('Pods of a service that stop at one place for good while another starts elsewhere for good.'),
    temporaryPods: count.describe('Pod starts that are stopped again.'),
    instanceCreations: count.describe('create-instance steps, and the instances that wipes leave.'),
    instanceDeletions: count.describe('delete-instance steps, and the instances that wipes remove.'),
    wipes: count,
    gpusTouched: count.describe('GPUs with at least one step.'),
  })
  .describe('How much is changed.');

export const transitionBoundsSchema = z
  .strictObject({
    gpus: provenBoundSchema.optional().describe('GPUs in use at the end.'),
    cost: provenBoundSchema.optional().describe('Price of the GPUs in use at the end.'),
    podStarts: provenBoundSchema.optional().describe('Pod starts at this number of GPUs, temporary ones apart.'),
    instanceCreations: provenBoundSchema.optional().describe('Instance creations at these pod starts, temporary ones apart.'),
    gpusTouched: provenBoundSchema.optional().describe('GPUs touched at these instance creations, temporary ones apart.'),
    makespanS: provenBoundSchema
      .optional()
      .describe('Seconds for the pods kept and the layouts of this target, with temporary pods only at its places or on extra GPUs.'),
  })
  .describe('Proven limits in the order of the aims.');

/** A `Transition` document: a dependency graph of steps from a state to a target, enough to replay it from that state. */
export const transitionSchema = z
  .strictObject({
    apiVersion: apiVersionSchema,
    kind: z.literal('Transition'),
    metadata: metadataSchema.extend({
      id: z
        .string()
        .regex(/^sha256:[0-9a-f]{64}$/)
        .optional()
        .describe('Hash of the canonical JSON without this field.'),
    }),
    backend: backendSchema,
    floor: floorSchema.describe('Capacity that stays at min(old rate, new rate) or more: raw or planned.'),
    durations: stepDurationsSchema,
    target: stateSchema
      .pick({ services: true, gpus: true })
      .strict()
      .describe(
        'What runs at the end, as in a State. A GPU of the state that is not listed ends without instances; every GPU that steps name is in the state or here.',
      ),
    steps: z.array(transitionStepSchema).max(1_000_000).describe('In order of startS.'),
    makespanS: seconds.describe('Expected end of the last step.'),
    maxExtraGpus: count.describe('GPUs allowed above the larger of start and target.'),
    peakGpus: count.describe('Most GPUs at any moment that are being wiped or have an instance that is not reserved.'),
    counts: transitionCountsSchema,
    bounds: transitionBoundsSchema,
  })
  .meta({ title: 'Inlay Transition' });

export type Backend = z.infer<typeof backendSchema>;
export type FloorKind = z.infer<typeof floorSchema>;
export type StepDurations = z.infer<typeof stepDurationsSchema>;
export type TransitionStep = z.infer<typeof transitionStepSchema>;
export type TransitionCounts = z.infer<typeof transitionCountsSchema>;
export type TransitionBounds = z.infer<typeof transitionBoundsSchema>;
export type TransitionDocument = z.infer<typeof transitionSchema>;

/** Seconds that each kind of step is expected to take unless told otherwise: assumptions, to be replaced by what a cluster shows. */
export const defaultStepDurations: StepDurations = {
  'create-instance': 1,
  'delete-instance': 0.7,
  'start-pod': 30,
  'stop-pod': 5,
  'wipe-gpu': 5,
};
