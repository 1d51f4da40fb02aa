import { type PlanDocument, planSchema } from '../demand/documents/plan.js';
import { limits } from './limits.js';
import { readDocument } from './read-document.js';

/**
 * Reads a Plan file. Throws InlayError with every problem of its form, each with file, line and column; whether the plan
 * keeps its promises is for `verify` to say.
 */
export async function readPlan(file: string): Promise<PlanDocument> {
  return (await readDocument(file, 'Plan', planSchema, limits.planBytes.value)).document;
}
