import type * as z from 'zod';
import { InlayError, type Problem } from '../errors.js';
import { parseDocument } from './document.js';
import { parsePath } from './document-path.js';
import type { ParsedDocument } from './parsed-document.js';
import { readTextFile } from './read-file.js';
import { validateDocument } from './validate-document.js';

/** A file that has the form its kind asks for. */
export interface ReadDocument<T> {
  readonly document: T;
  readonly source: ParsedDocument;
}

/** Reads a YAML or JSON file of one kind. Throws InlayError with every problem of the file, each with its place. */
export async function readDocument<T>(file: string, kind: string, schema: z.ZodType<T>, maxBytes: number): Promise<ReadDocument<T>> {
  const source = parseDocument(await readTextFile(file, maxBytes), file);
  const checked = validateDocument(source, kind, schema);
  if (checked.kind === 'invalid') throw new InlayError(checked.problems);
  return { document: checked.value, source };
}

/** An error found later about a document, with the places of its problems in the file; other errors as they are. */
export function placeError(error: unknown, source: ParsedDocument): unknown {
  return error instanceof InlayError ? new InlayError(placeProblems(error.problems, source), { cause: error }) : error;
}

/**
 * Gives problems that only name a path their file, line and column, and those of a whole row the column at which it
 * begins.
 */
export function placeProblems(problems: readonly Problem[], source: ParsedDocument): readonly Problem[] {
  return problems.map((entry) => {
    if (entry.line !== undefined) return { column: 1, ...entry };
    if (entry.path === undefined || entry.file !== undefined) return entry;
    return { ...entry, file: source.file, ...source.locate(parsePath(entry.path)) };
  });
}
