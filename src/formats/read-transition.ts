import { type TransitionDocument, transitionSchema } from '../demand/documents/transition.js';
import { limits } from './limits.js';
import { readDocument } from './read-document.js';

/**
 * Reads a Transition file. Throws InlayError with every problem of its form, each with file, line and column; whether the
 * transition keeps its promises is for `verify-transition` to say.
 */
export async function readTransition(file: string): Promise<TransitionDocument> {
  return (await readDocument(file, 'Transition', transitionSchema, limits.planBytes.value)).document;
}
