import type { MediaEngines } from '../gpu-model.js';

/** Media engines in the order NVIDIA's tables print them. */
export function engines(decoder: number, encoder: number, jpeg: number, opticalFlow: number): MediaEngines {
  return { decoder, encoder, jpeg, opticalFlow };
}
