import * as z from 'zod';

type Json = Record<string, unknown>;

/**
 * The schema as an API server takes it in a CustomResourceDefinition (OpenAPI 3.0, structural): no closed objects (unknown
 * fields are refused or pruned by the server itself), constants as enumerations, open limits as flags.
 */
export function structuralSchema(schema: z.ZodType): Json {
  const converted = convert(z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input', unrepresentable: 'any' }) as Json);
  delete converted['$schema'];
  return converted;
}

function convert(schema: Json): Json {
  const result: Json = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'additionalProperties' && value === false) continue;
    if (key === 'additionalProperties' && Object.keys(value as Json).length === 0) {
      result['x-kubernetes-preserve-unknown-fields'] = true;
      continue;
    }
    if (key === 'propertyNames' || key === '$schema') continue;
    if (key === 'const') result['enum'] = [value];
    // The server's regular expressions know no other way to name a character by its number.
    else if (key === 'pattern') result[key] = (value as string).replace(/\\u([0-9a-f]{4})/g, '\\x{$1}');
    else if (key === 'exclusiveMinimum') Object.assign(result, { minimum: value, exclusiveMinimum: true });
    else if (key === 'exclusiveMaximum') Object.assign(result, { maximum: value, exclusiveMaximum: true });
    else if (key === 'properties')
      result[key] = Object.fromEntries(Object.entries(value as Json).map(([name, one]) => [name, convert(one as Json)]));
    else if (key === 'items' || key === 'additionalProperties') result[key] = convert(value as Json);
    // What a double can count is no limit of the format.
    else if ((key === 'maximum' || key === 'minimum') && Math.abs(value as number) === Number.MAX_SAFE_INTEGER) continue;
    else result[key] = value;
  }
  if (result['type'] === 'integer') result['format'] = 'int64';
  return result;
}
