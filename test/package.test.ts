import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { version } from '../src/version.js';

const run = promisify(execFile);

/** Folders that git ignores, and git's own. */
const notOurs = new Set(['.git', 'node_modules', 'dist', 'coverage', '.cache']);

async function listFiles(folder = '.'): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter((entry) => !notOurs.has(entry.name));
  const nested = entries.map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? listFiles(path) : [path];
  });
  return (await Promise.all(nested)).flat();
}

async function filesWith(pattern: RegExp): Promise<string[]> {
  const found = [];
  for (const file of await listFiles()) if (pattern.test(await readFile(file, 'utf8'))) found.push(file);
  return found;
}

test('the version in the code is that of package.json', async () => {
  expect(JSON.parse(await readFile('package.json', 'utf8')).version).toBe(version);
});

test('no file names a folder of the machine it was written on', async () => {
  expect(await filesWith(/(?<![\w.])[/](work|home|root)[/]/)).toEqual([]);
});

test('no file names the host of a package registry', async () => {
  expect(await filesWith(/"resolved": "htt[p]|registry[.]npm|npm[.]pkg/)).toEqual([]);
});

test('the package holds the build, the schemas, the examples and its papers, and no tests or sources', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts']);
  const files: string[] = JSON.parse(stdout)[0].files.map((file: { readonly path: string }) => file.path);
  for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist/index.js', 'dist/index.d.ts', 'dist/cli/main.js']) {
    expect(files).toContain(file);
  }
  expect(files).toContain('schemas/workload.schema.json');
  expect(files).toContain('examples/media/workload.yaml');
  expect(files.filter((file) => /[.](test|fixture|contract)[.]|^(src|test|tools|bench|docs)[/]/.test(file))).toEqual([]);
});
