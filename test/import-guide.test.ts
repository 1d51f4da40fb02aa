import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInProcess } from '../src/cli/io.fixture.js';

const guide = 'docs/guide/import.md';
const example = 'examples/triton';
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlay-'));
  await cp(example, folder, { recursive: true, filter: (file) => !file.endsWith('table.csv') });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the two commands of the import guide print what it shows, and the table is the one of the example', async () => {
  const blocks = [...(await readFile(guide, 'utf8')).matchAll(/```console\n\$ inlay ([^\n]+)\n([^`]*)```/g)];
  expect(blocks).toHaveLength(2);
  for (const [, command = '', output] of blocks) {
    const args = command.replaceAll(`${example}/`, `${folder}/`).split(' ');
    const { stdout, stderr, exitCode } = await runInProcess(args, { columns: 100 });
    expect(exitCode, stderr).toBe(0);
    expect(`${stdout}${stderr}`.replaceAll(`${folder}/`, `${example}/`)).toBe(output);
  }
  const table = await readFile(join(folder, 'table.csv'), 'utf8');
  expect(table.replaceAll(`${folder}/`, `${example}/`)).toBe(await readFile(join(example, 'table.csv'), 'utf8'));
});
