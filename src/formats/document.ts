import { parseJsonDocument } from './json-document.js';
import type { ParsedDocument } from './parsed-document.js';
import { parseYamlDocument } from './yaml-document.js';

/**
 * Parses one JSON or YAML document. A text that begins with `{` or `[` in a file not called `.yaml` or `.yml` is taken
 * for JSON, all else for YAML. Throws InlayError with SYNTAX or TOO_DEEP, each with its place.
 */
export function parseDocument(text: string, file: string): ParsedDocument {
  const isJson = /\.json$/i.test(file) || (!/\.ya?ml$/i.test(file) && /^\s*[{[]/.test(text));
  return isJson ? parseJsonDocument(text, file) : parseYamlDocument(text, file);
}
