import type * as z from 'zod';
import { InlayError } from '../../errors.js';
import { describeIssue } from '../describe-issue.js';
import { parseJsonDocument } from '../json-document.js';
import { limits } from '../limits.js';
import type { ParsedDocument } from '../parsed-document.js';
import { readTextFile } from '../read-file.js';

/** Reads a JSON file that a benchmark tool wrote. Throws InlayError with every problem of its form, each with its place. */
export async function readMeasurementJson<T>(
  file: string,
  schema: z.ZodType<T>,
): Promise<{ readonly value: T; readonly source: ParsedDocument }> {
  const source = parseJsonDocument(withoutNaN(await readTextFile(file, limits.measurementJsonBytes.value)), file);
  const result = schema.safeParse(source.value);
  if (result.success) return { value: result.data, source };
  throw new InlayError(result.error.issues.slice(0, limits.problems.value).flatMap((issue) => describeIssue(issue, schema, source)));
}

/** Python writes NaN and Infinity for what was not measured; JSON knows neither. */
function withoutNaN(text: string): string {
  return text.replace(/([:[,]\s*)(?:NaN|-?Infinity)(?=\s*[,}\]])/g, '$1null');
}
