import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInProcess } from '../src/cli/io.fixture.js';

const guide = 'docs/guide/colocate.md';
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlay-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the commands of the colocation guide print what it shows', async () => {
  const blocks = [...(await readFile(guide, 'utf8')).matchAll(/```console\n\$ inlay ([^\n]+)\n([^`]*)```/g)];
  expect(blocks).toHaveLength(4);
  for (const [, command = '', output] of blocks) {
    const args = command.replaceAll('model.json', join(folder, 'model.json')).split(' ');
    const { stdout, stderr, exitCode } = await runInProcess(args, { columns: 100 });
    expect(exitCode, stderr).toBe(0);
    expect(`${stdout}${stderr}`).toBe(output);
  }
});

test('the jobs in the guide are those of the example', async () => {
  const [, ...lines] = (await readFile('examples/colocate/jobs.yaml', 'utf8')).split('\n');
  expect(await readFile(guide, 'utf8')).toContain(`\`\`\`yaml\n${lines.join('\n')}\`\`\``);
});
