/** Writes the JSON Schemas of all file kinds; a test checks that they are current. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { schemaFiles } from './schema-files.js';

for (const [path, text] of schemaFiles()) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  console.log(path);
}
