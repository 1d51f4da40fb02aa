/** Writes the pages that are made from the code; a test checks that they are current. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { generatedDocs } from './generated-docs.js';

for (const [path, text] of await generatedDocs()) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  console.log(path);
}
