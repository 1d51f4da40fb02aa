import type * as z from 'zod';
import { suggestNames } from '../demand/did-you-mean.js';
import { type Problem, problem } from '../errors.js';
import { describeValue } from './describe-value.js';
import { formatPath, type PathSegments } from './document-path.js';
import type { ParsedDocument } from './parsed-document.js';
import { keysAt } from './schema-keys.js';

type Issue = z.core.$ZodIssue;

/** Says in the words of the catalogue what the schema found, with the place in the text. An issue may be several problems. */
export function describeIssue(issue: Issue, schema: z.ZodType, source: ParsedDocument): readonly Problem[] {
  return describe(issue, [], schema, source);
}

function describe(issue: Issue, base: PathSegments, schema: z.ZodType, source: ParsedDocument): readonly Problem[] {
  const path = [...base, ...issue.path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment))];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, path, schema, source));
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return nearestBranch(issue.errors).flatMap((inner) => describe(inner, path, schema, source));
  }
  const value = valueAt(source.value, path);
  return [value === undefined ? missingKey(issue, path, source) : invalidValue(issue, path, value, source)];
}

function unknownKey(key: string, parent: PathSegments, schema: z.ZodType, source: ParsedDocument): Problem {
  const path = [...parent, key];
  const known = keysAt(schema, parent);
  const hint = suggestNames(key, known);
  return problem('UNKNOWN_KEY', {
    message: `There is no key ${JSON.stringify(key)} ${parent.length === 0 ? 'at the top' : `in ${formatPath(parent)}`}.`,
    file: source.file,
    ...source.locate(path, 'key'),
    path: formatPath(path),
    expected: known.join(', '),
    received: key,
    ...(hint === undefined ? {} : { hint }),
  });
}

function missingKey(issue: Issue, path: PathSegments, source: ParsedDocument): Problem {
  return problem('MISSING_KEY', {
    message: `${formatPath(path)} is missing.`,
    file: source.file,
    ...source.locate(path.slice(0, -1)),
    path: formatPath(path),
    expected: expectationOf(issue),
    received: 'nothing',
  });
}

function invalidValue(issue: Issue, path: PathSegments, value: unknown, source: ParsedDocument): Problem {
  const tooMany = issue.code === 'too_big' && Array.isArray(value);
  const what = path.length === 0 ? source.file : formatPath(path);
  const needsQuotes =
    issue.code === 'invalid_type' && issue.expected === 'string' && (typeof value === 'number' || typeof value === 'boolean');
  return problem(tooMany ? 'TOO_MANY' : 'INVALID_VALUE', {
    message: tooMany ? `${what} has too many entries.` : `${what} cannot be ${describeValue(value)}.`,
    file: source.file,
    ...source.locate(path),
    ...(path.length === 0 ? {} : { path: formatPath(path) }),
    expected: expectationOf(issue),
    received: describeValue(value),
    ...(needsQuotes ? { hint: 'Put the value in double quotes.' } : {}),
  });
}

/**
 * The alternative of a union that the user most likely meant: the one with the fewest faults, and among equals one that
 * knows every key that was written.
 */
function nearestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const cost = (issues: readonly Issue[]) =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length + 0.5 : 1), 0);
  return branches.reduce((best, branch) => (cost(branch) < cost(best) ? branch : best));
}

function expectationOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeNames[issue.expected] ?? issue.expected;
    case 'too_small':
      return `${sizeNames[issue.origin] ?? 'a number'} ${issue.inclusive === false ? 'above' : 'of at least'} ${describeValue(Number(issue.minimum))}${unitOf(issue.origin, issue.minimum)}`;
    case 'too_big':
      return `${sizeNames[issue.origin] ?? 'a number'} ${issue.inclusive === false ? 'below' : 'of at most'} ${describeValue(Number(issue.maximum))}${unitOf(issue.origin, issue.maximum)}`;
    case 'invalid_value':
      return issue.values.map((value) => String(value)).join(' or ');
    case 'invalid_format':
      return issue.message.replace(/^Invalid string: must match pattern/, 'text that matches');
    default:
      return issue.message;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

const sizeNames: Readonly<Record<string, string>> = { string: 'text', array: 'a list' };

function unitOf(origin: string, size: number | bigint): string {
  if (origin === 'string') return size === 1 ? ' character' : ' characters';
  if (origin === 'array') return size === 1 ? ' entry' : ' entries';
  return '';
}

function valueAt(root: unknown, path: PathSegments): unknown {
  let value = root;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = Reflect.get(value, segment);
  }
  return value;
}
