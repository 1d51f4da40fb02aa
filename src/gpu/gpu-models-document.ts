import * as z from 'zod';
import type { Problem } from '../errors.js';
import { fullProfile } from './catalogue/full-profile.js';
import { checkGpuCatalogue, checkGpuModel, countMost } from './check-gpu-model.js';
import type { Fact, GpuModel, MediaEngines, MigProfile } from './gpu-model.js';

/** Most memory slices of a GPU; NVIDIA's chips have 4 or 8. */
const maxSlices = 16;

const text = z.string().min(1).max(253);
const count = z.number().int().min(0).max(64);
const slices = z.number().int().min(1).max(maxSlices);
const memory = z.number().int().min(1).max(16_777_216);
const multiprocessors = z.number().int().min(1).max(10_000);

const enginesSchema = z
  .strictObject({ decoder: count.default(0), encoder: count.default(0), jpeg: count.default(0), opticalFlow: count.default(0) })
  .describe('Media engines: NVDEC, NVENC, JPEG decoders, OFA.');

const profileSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9.+-]{0,62}$/, 'a profile name such as 1g.10gb')
      .describe('Name as nvidia-smi prints it, such as 1g.10gb.'),
    computeSlices: slices.describe('Compute slices taken.'),
    memorySlices: slices.describe('Memory slices taken.'),
    starts: z
      .array(
        z
          .number()
          .int()
          .min(0)
          .max(maxSlices - 1),
      )
      .min(1)
      .max(maxSlices)
      .describe('Memory slices at which an instance may start (nvidia-smi mig -lgipp).'),
    maxCount: z
      .number()
      .int()
      .min(1)
      .max(maxSlices)
      .optional()
      .describe('Most instances on one GPU; default: as many as the starts allow.'),
    memoryMiB: memory.describe('Usable memory, MiB.'),
    sms: multiprocessors.optional().describe('Streaming multiprocessors.'),
    variant: z
      .enum(['base', 'double-memory', 'media', 'all-media', 'no-media', 'graphics'])
      .default('base')
      .describe('What sets it apart from the plain profile of its size.'),
    engines: enginesSchema.optional(),
  })
  .describe('One MIG profile.');

const modelSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,62}$/, 'a name such as A100-80GB')
      .describe('Canonical name, such as A100-80GB.'),
    variantOf: text.optional().describe('Plain model whose performance rows may stand in.'),
    computeSlices: slices.default(1).describe('Compute slices of the GPU; 1 without MIG.'),
    memorySlices: slices.default(1).describe('Memory slices of the GPU; 1 without MIG.'),
    memoryMiB: memory.describe('Memory of the whole GPU with MIG off, MiB.'),
    sms: multiprocessors.optional().describe('Streaming multiprocessors of the whole GPU.'),
    engines: enginesSchema.optional(),
    products: z.array(text).max(100).default([]).describe('Product names and nvidia.com/gpu.product labels that mean this model.'),
    pciIds: z
      .array(z.string().regex(/^[0-9A-Fa-f]{4}$/, 'four hex digits'))
      .max(100)
      .default([])
      .describe('PCI device ids (vendor 10DE).'),
    minimumDriver: text.optional().describe('First driver with MIG on this GPU, such as R525.'),
    profiles: z.array(profileSchema).max(32).default([]).describe('MIG profiles; none for a GPU without MIG.'),
    remarks: z.array(z.string().min(1).max(1000)).max(20).default([]).describe('Things a user should know.'),
    source: z.string().min(1).max(1000).optional().describe('Where the facts come from.'),
  })
  .describe('One GPU model.');

/** A `GpuModels` document: GPU models that a user adds. */
export const gpuModelsSchema = z
  .strictObject({
    apiVersion: z.literal('inlay.dev/v1alpha1').describe('Version of the format.'),
    kind: z.literal('GpuModels'),
    metadata: z.strictObject({ name: text }).describe('What the document is called.'),
    spec: z.strictObject({ models: z.array(modelSchema).min(1).max(100) }),
  })
  .meta({ title: 'Inlay GpuModels' });

export type GpuModelsDocument = z.infer<typeof gpuModelsSchema>;
type ModelEntry = GpuModelsDocument['spec']['models'][number];
type ProfileEntry = ModelEntry['profiles'][number];

const noEngines: MediaEngines = { decoder: 0, encoder: 0, jpeg: 0, opticalFlow: 0 };

/**
 * The GPU models of a document and everything that is wrong with them; use the models only when there is no problem.
 * `known` names the plain models that a variant may refer to besides those of the document.
 */
export function toGpuModels(
  document: GpuModelsDocument,
  known: readonly GpuModel[] = [],
): { readonly models: readonly GpuModel[]; readonly problems: readonly Problem[] } {
  const asWritten = document.spec.models.map(toGpuModel);
  const problems = asWritten.flatMap((model, index) => checkGpuModel(model, `spec.models[${index}]`));
  const models = asWritten.map((model) => ({ ...model, profiles: sortSmallestFirst(model.profiles) }));
  const referred = known.filter((model) => !models.some((own) => own.name === model.name)).map((model) => ({ ...model, products: [] }));
  return { models, problems: [...problems, ...checkGpuCatalogue({ models: [...models, ...referred] })] };
}

function toGpuModel(entry: ModelEntry): GpuModel {
  const fact = <T>(value: T): Fact<T> => ({ value, certainty: 'single-source', source: entry.source ?? 'the GPU models file' });
  const { name, computeSlices, memorySlices, products, remarks } = entry;
  const engines = entry.engines ?? noEngines;
  const sms = entry.sms === undefined ? undefined : fact(entry.sms);
  const model: GpuModel = {
    name,
    ...(entry.variantOf === undefined ? {} : { variantOf: entry.variantOf }),
    computeSlices,
    memorySlices,
    profiles: [],
    full: fullProfile({ computeSlices, memorySlices, totalMiB: fact(entry.memoryMiB), sms, engines }),
    engines,
    products,
    pciIds: entry.pciIds.map((id) => id.toUpperCase()),
    ...(entry.minimumDriver === undefined ? {} : { minimumDriver: fact(entry.minimumDriver) }),
    remarks,
  };
  return { ...model, profiles: entry.profiles.map((profile) => toProfile(model, profile, fact)) };
}

function toProfile(model: GpuModel, entry: ProfileEntry, fact: <T>(value: T) => Fact<T>): MigProfile {
  const { certainty, source } = fact(0);
  const profile: MigProfile = {
    name: entry.name,
    variant: entry.variant,
    computeSlices: entry.computeSlices,
    memorySlices: entry.memorySlices,
    starts: [...entry.starts].sort((a, b) => a - b),
    maxCount: 1,
    memoryMiB: fact(entry.memoryMiB),
    ...(entry.sms === undefined ? {} : { sms: fact(entry.sms) }),
    engines: entry.engines ?? noEngines,
    placement: { certainty, source },
  };
  return { ...profile, maxCount: entry.maxCount ?? Math.max(1, countMost(model, profile)) };
}

/** Catalogues list profiles smallest to largest, in whatever order they were written. */
function sortSmallestFirst(profiles: readonly MigProfile[]): readonly MigProfile[] {
  return [...profiles].sort((a, b) => a.computeSlices - b.computeSlices || a.memorySlices - b.memorySlices);
}
