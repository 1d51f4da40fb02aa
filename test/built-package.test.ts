import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { runInProcess } from '../src/cli/io.fixture.js';

const main = 'dist/cli/main.js';
const example = 'examples/media/workload.yaml';

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

async function inlay(...args: readonly string[]): Promise<Ended> {
  return promisify(execFile)(process.execPath, [main, ...args]).then(
    (done) => ({ ...done, code: 0 }),
    (failed: Ended) => failed,
  );
}

beforeAll(async () => {
  await access(main).catch(() => {
    throw new Error('These tests run the built package: npm run build first.');
  });
});

test('the built command prints the same plan as the sources', async () => {
  const built = await inlay('plan', example);
  const source = await runInProcess(['plan', example]);
  expect({ stdout: built.stdout, stderr: built.stderr, exitCode: built.code }).toEqual(source);
});

test('the built command ends with the exit code of its failure', async () => {
  const { code, stdout, stderr } = await inlay('plan', 'no-such-file.yaml');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/\(FILE_NOT_FOUND\)/);
  expect(stderr).not.toMatch(/\n +at /);
});

test('the built package exports the planner, and its schemas by name', async () => {
  const script = [
    "import { plan, verifyPlan } from 'inlay';",
    "import schema from 'inlay/schemas/workload.schema.json' with { type: 'json' };",
    'console.log(typeof plan, typeof verifyPlan, schema.title);',
  ].join('\n');
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', '--input-type=module', '--eval', script]);
  expect(stdout).toBe('function function Inlay Workload\n');
});

test('a reader that closes the pipe early is no error', async () => {
  const { stdout, stderr } = await promisify(execFile)('bash', [
    '-c',
    `set -o pipefail; ${process.execPath} ${main} plan ${example} --json | head -c 10`,
  ]);
  expect({ stdout: stdout.length, stderr }).toEqual({ stdout: 10, stderr: '' });
});

test('the first Ctrl-C lets a command end in order, the second quits at once', async () => {
  const script = [
    "import { createProcessIo } from './dist/cli/io.js';",
    "createProcessIo().watchInterrupt().addEventListener('abort', ({ target }) => console.log(target.reason));",
    "console.log('ready');",
    'setInterval(() => {}, 1000);',
  ].join('\n');
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready\n');
  child.kill('SIGINT');
  expect((await lines.next()).value).toBe('interrupt\n');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
});
