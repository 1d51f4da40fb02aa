/** Writes the pages and manifests that are made from the code; tests check that they are current. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { deployFiles } from './deploy-files.js';
import { generatedDocs } from './generated-docs.js';

for (const [path, text] of [...(await generatedDocs()), ...(await deployFiles())]) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  console.log(path);
}
