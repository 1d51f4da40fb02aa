import type * as z from 'zod';
import { apiVersion } from '../demand/documents/common.js';
import { type Problem, problem } from '../errors.js';
import { describeIssue } from './describe-issue.js';
import { describeValue } from './describe-value.js';
import { limits } from './limits.js';
import type { ParsedDocument } from './parsed-document.js';

/** A value of the right form, or every problem with its place. */
export type Validation<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/**
 * Checks a document against the schema of its kind. A document of another kind or version gets that one problem alone:
 * all others would follow from it. At most `limits.problems` are told.
 */
export function validateDocument<T>(source: ParsedDocument, kind: string, schema: z.ZodType<T>): Validation<T> {
  const wrong = checkKind(source, kind);
  if (wrong !== undefined) return { kind: 'invalid', problems: [wrong] };
  const result = schema.safeParse(source.value);
  if (result.success) return { kind: 'valid', value: result.data };
  const problems: Problem[] = [];
  for (const issue of result.error.issues) {
    problems.push(...describeIssue(issue, schema, source));
    if (problems.length >= limits.problems.value) break;
  }
  return { kind: 'invalid', problems: problems.slice(0, limits.problems.value) };
}

function checkKind(source: ParsedDocument, kind: string): Problem | undefined {
  const { value, file } = source;
  const expected = `apiVersion: ${apiVersion} and kind: ${kind}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return problem('WRONG_KIND', {
      message: `${file} is not a ${kind}.`,
      file,
      ...source.locate([]),
      expected,
      received: describeValue(value),
    });
  }
  for (const [key, wanted] of [
    ['kind', kind],
    ['apiVersion', apiVersion],
  ] as const) {
    const given: unknown = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
    if (given === wanted) continue;
    const message = given === undefined ? `${file} is not a ${kind}: it has no ${key}.` : `${file} is not a ${kind} of ${apiVersion}.`;
    return problem('WRONG_KIND', {
      message,
      file,
      ...source.locate(given === undefined ? [] : [key]),
      path: key,
      expected,
      received: given === undefined ? `no ${key}` : `${key}: ${describeValue(given)}`,
      hint: `Begin the file with ${expected}.`,
    });
  }
  return undefined;
}
