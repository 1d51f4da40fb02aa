import { InlayError } from '../errors.js';
import { builtInCatalogue } from '../gpu/catalogue.js';
import type { GpuModel } from '../gpu/gpu-model.js';
import { gpuModelsSchema, toGpuModels } from '../gpu/gpu-models-document.js';
import { limits } from './limits.js';
import { placeProblems, readDocument } from './read-document.js';

/** The GPU models of a GpuModels file, ready for `extendCatalogue`. Throws InlayError with every problem, each with file, line and column. */
export async function readGpuModels(file: string): Promise<{ readonly models: readonly GpuModel[] }> {
  const { document, source } = await readDocument(file, 'GpuModels', gpuModelsSchema, limits.documentBytes.value);
  const { models, problems } = toGpuModels(document, builtInCatalogue.models);
  if (problems.length > 0) throw new InlayError(placeProblems(problems.slice(0, limits.problems.value), source));
  return { models };
}
