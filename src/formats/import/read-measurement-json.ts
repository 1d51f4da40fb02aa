import type * as z from 'zod';
import { InlayError } from '../../errors.js';
import { describeIssue } from '../describe-issue.js';
import { parseJsonDocument } from '../json-document.js';
import { limits } from '../limits.js';
import type { ParsedDocument } from '../parsed-document.js';
import { readTextPieces } from '../read-text-pieces.js';
import { condenseJson, type WantedList } from './condense-json.js';

/**
 * Reads a JSON file that a benchmark tool wrote, piece by piece: long lists, such as those of single requests, are empty in its value,
 * and the wanted one is. Throws InlayError with every problem of its form, each with its place.
 */
export async function readMeasurementJson<T>(
  file: string,
  schema: z.ZodType<T>,
  wanted?: WantedList,
): Promise<{ readonly value: T; readonly source: ParsedDocument }> {
  const outline = await condenseJson(readTextPieces(file, limits.measurementBytes.value), file, wanted);
  const source = parseJsonDocument(outline.toString(), file, () => outline.positionOf);
  const result = schema.safeParse(source.value);
  if (result.success) return { value: result.data, source };
  throw new InlayError(result.error.issues.slice(0, limits.problems.value).flatMap((issue) => describeIssue(issue, schema, source)));
}
