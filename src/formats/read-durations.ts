import { durationsSchema } from '../demand/documents/durations.js';
import { defaultStepDurations, type StepDurations } from '../demand/documents/transition.js';
import { limits } from './limits.js';
import { readDocument } from './read-document.js';

/** Reads a Durations file and fills in the defaults. Throws InlayError with every problem, each with file, line and column. */
export async function readDurations(file: string): Promise<StepDurations> {
  const { document } = await readDocument(file, 'Durations', durationsSchema, limits.documentBytes.value);
  const given = Object.entries(document.spec).filter(([, seconds]) => seconds !== undefined);
  return { ...defaultStepDurations, ...Object.fromEntries(given) };
}
