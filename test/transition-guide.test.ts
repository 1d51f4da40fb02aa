import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInProcess } from '../src/cli/io.fixture.js';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlay-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the commands of the transition guide on the example print what it shows', async () => {
  const guide = await readFile('docs/guide/transition.md', 'utf8');
  const blocks = [...guide.matchAll(/```console\n\$ inlay ([^\n]*examples\/media[^\n]*)\n([^`]*)```/g)];
  expect(blocks).toHaveLength(3);
  for (const [, command = '', output] of blocks) {
    const args = command.replace(/transition\.(json|svg)/g, (name) => join(folder, name)).split(' ');
    const { stdout, stderr, exitCode } = await runInProcess(args);
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toBe(output);
  }
});
