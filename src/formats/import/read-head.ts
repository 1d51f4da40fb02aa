import { limits } from '../limits.js';
import { readChunks } from '../read-file.js';

/** The first few kilobytes of a file as text; enough to see what kind of file it is. Throws InlayError with a FILE_ code. */
export async function readHead(file: string): Promise<string> {
  for await (const chunk of readChunks(file, limits.measurementBytes.value)) return new TextDecoder().decode(chunk);
  return '';
}
