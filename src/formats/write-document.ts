import { randomUUID } from 'node:crypto';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { inlayError } from '../errors.js';

/** The text forms of a document. */
export type DocumentFormat = 'json' | 'yaml';

/** Writes a document as JSON (two spaces) or YAML, keys in the order of the document, with a line break at the end. */
export function formatDocument(document: object, format: DocumentFormat = 'json'): string {
  if (format === 'json') return `${JSON.stringify(document, null, 2)}\n`;
  return stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 });
}

/**
 * Writes a text file so that readers see the old content or the new, never a part. Throws InlayError FILE_UNWRITABLE and
 * leaves nothing behind.
 */
export async function writeTextFile(file: string, text: string): Promise<void> {
  try {
    if (await isPlace(file)) await replaceFile(file, text);
    // A device or pipe such as /dev/stdout cannot be replaced, only written to.
    else await writeFile(file, text);
  } catch (error) {
    throw inlayError('FILE_UNWRITABLE', { message: `${file} could not be written: ${reasonOf(error)}.`, file }, { cause: error });
  }
}

/** What the system says, without the call and the name of the draft that follow. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const call = message.lastIndexOf(`, ${(error as NodeJS.ErrnoException).syscall} '`);
  return call < 0 ? message : message.slice(0, call);
}

async function isPlace(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found === undefined || found.isFile();
}

async function replaceFile(file: string, text: string): Promise<void> {
  // Beside the target, because a rename does not cross file systems.
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, text, { flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
