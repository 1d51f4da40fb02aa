import { parseDocument } from './document.js';
import { limits } from './limits.js';
import { readTextFile } from './read-file.js';

/** What a YAML or JSON file says it is, such as `Plan`; undefined when it says nothing. Throws InlayError when it cannot be read. */
export async function readKind(file: string): Promise<string | undefined> {
  const { value } = parseDocument(await readTextFile(file, limits.planBytes.value), file);
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'kind')) return undefined;
  const kind: unknown = Reflect.get(value, 'kind');
  return typeof kind === 'string' ? kind : undefined;
}
