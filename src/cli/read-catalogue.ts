import type { GpuCatalogue } from '../gpu/gpu-model.js';

/** The built-in GPU models, with those of a user's GpuModels file (`--gpu-models FILE`) added. */
export async function readCatalogue(file: string | undefined): Promise<GpuCatalogue> {
  const { builtInCatalogue, extendCatalogue } = await import('../gpu/catalogue.js');
  if (file === undefined) return builtInCatalogue;
  const { readGpuModels } = await import('../formats/read-gpu-models.js');
  return extendCatalogue(builtInCatalogue, (await readGpuModels(file)).models);
}
