import { nameCanonically } from '../demand/canonical-state.js';
import { checkState } from '../demand/check-state.js';
import { type StateDocument, stateSchema } from '../demand/documents/state.js';
import { InlayError, type Problem } from '../errors.js';
import { builtInCatalogue } from '../gpu/catalogue.js';
import { limits } from './limits.js';
import { placeProblems, readDocument } from './read-document.js';
import type { ReadOptions } from './read-workload.js';

/** A state that can exist, in the catalogue's names, and what the user should know about it. */
export interface ReadState {
  readonly document: StateDocument;
  readonly notes: readonly Problem[];
}

/** Reads a State file. Throws InlayError with every problem, each with file, line and column. */
export async function readState(file: string, options: ReadOptions = {}): Promise<ReadState> {
  const { document, source } = await readDocument(file, 'State', stateSchema, limits.planBytes.value);
  const catalogue = options.catalogue ?? builtInCatalogue;
  const { problems, notes } = checkState(document, catalogue);
  if (problems.length > 0) throw new InlayError(placeProblems(problems.slice(0, limits.problems.value), source));
  return { document: nameCanonically(document, catalogue), notes: placeProblems(notes, source) };
}
