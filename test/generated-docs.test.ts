import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { generatedDocs } from '../tools/generated-docs.js';

test('pages made from the code are current, the output in the README included; if not, run npm run docs', async () => {
  for (const [path, text] of await generatedDocs()) expect(await readFile(path, 'utf8'), path).toBe(text);
});
