import { findGpuModel } from '../gpu/find-gpu-model.js';
import { findProfile } from '../gpu/find-profile.js';
import type { GpuCatalogue } from '../gpu/gpu-model.js';
import type { StateDocument, StateGpu } from './documents/state.js';

/** The state with the catalogue's names in place of product names and of the profile names that other drivers print; unknown names stay. */
export function nameCanonically(state: StateDocument, catalogue: GpuCatalogue): StateDocument {
  return { ...state, gpus: state.gpus.map((gpu) => nameGpu(gpu, catalogue)) };
}

function nameGpu(gpu: StateGpu, catalogue: GpuCatalogue): StateGpu {
  const found = findGpuModel(catalogue, gpu.type);
  if (found.kind !== 'found') return gpu;
  const { model } = found;
  const instances = gpu.instances.map((instance) => {
    const profile = findProfile(model, instance.profile);
    return profile.kind === 'found' ? { ...instance, profile: profile.profile.name } : instance;
  });
  return { ...gpu, type: model.name, instances };
}
