import * as z from 'zod';
import type { PathSegments } from './document-path.js';

/** The keys that a schema knows at a path; none where it is not an object or the path leads out of the schema. */
export function keysAt(schema: z.ZodType, path: PathSegments): readonly string[] {
  let schemas: readonly z.ZodType[] = alternativesOf(schema);
  for (const segment of path) schemas = schemas.flatMap((candidate) => stepInto(candidate, segment)).flatMap(alternativesOf);
  return [...new Set(schemas.flatMap((candidate) => (candidate instanceof z.ZodObject ? Object.keys(candidate.shape) : [])))];
}

function stepInto(schema: z.ZodType, segment: string | number): readonly z.ZodType[] {
  if (schema instanceof z.ZodArray) return [schema.element as z.ZodType];
  if (schema instanceof z.ZodRecord) return [schema.valueType as z.ZodType];
  if (!(schema instanceof z.ZodObject)) return [];
  const next: unknown = schema.shape[segment];
  return next instanceof z.ZodType ? [next] : [];
}

/** Sees through what may wrap an object: optional, nullable, defaults and unions. */
function alternativesOf(schema: z.ZodType): readonly z.ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return alternativesOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => alternativesOf(option as z.ZodType));
  return [schema];
}
