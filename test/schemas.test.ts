import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { schemaFiles } from '../tools/schema-files.js';

test('the JSON Schemas are those that the readers validate with; if not, run npm run docs', async () => {
  const files = schemaFiles();
  for (const [path, text] of files) expect(await readFile(path, 'utf8'), path).toBe(text);
  expect((await readdir('schemas')).map((name) => `schemas/${name}`).sort()).toEqual([...files.keys()].sort());
});

test('no limit of a schema is the largest whole number of a double', () => {
  for (const text of schemaFiles().values()) expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER));
});
