import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeFaults, podFaults } from '../../src/cluster/emulate/faults.js';
import { findKubelab } from '../../tools/find-kubelab.js';
import { skippedBecause, startCluster, type TestCluster, whyNoCluster } from './cluster.fixture.js';

const guide = readFileSync('docs/guide/try-on-kubernetes.md', 'utf8');
const kubelab = findKubelab();
const ownTerminal = /\s+# in a terminal of its own$/;
const main = resolve('src/cli/main.ts');
const tsx = resolve('node_modules/tsx/dist/loader.mjs');

/** The command and its arguments as a shell would take them: words, with single quotes in them. */
function split(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));
}

/** Commands of the page with the output that it shows, in order. */
function readCommands(): { readonly line: string; readonly output: string }[] {
  const blocks = [...guide.matchAll(/```console\n([^`]*)```/g)].map(([, block = '']) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [line = '', ...output] = text.split('\n');
        return { line, output: output.join('\n').trim() };
      }),
  );
}

/** Without what differs from run to run: ages, the width of columns, and the order of what happened in one second. */
const settle = (text: string) =>
  text
    .replace(/\b(\d+m)?\d+(m|s)\b/g, 'AGE')
    .replace(/[ \t]+/g, ' ')
    .trim()
    .split('\n')
    .sort();

describe.skipIf(kubelab === undefined || whyNoCluster)(`docs/guide/try-on-kubernetes.md${skippedBecause}`, () => {
  let cluster: TestCluster;
  let env: NodeJS.ProcessEnv;
  const folder = mkdtempSync(join(tmpdir(), 'inlay-guide-'));
  const terminals: ChildProcess[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
    env = { ...process.env, KUBECONFIG: await cluster.kubeconfig(), HOME: folder };
  }, 120_000);
  afterAll(async () => {
    for (const terminal of terminals) terminal.kill('SIGKILL');
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const toProcess = (line: string): [string, string[]] => {
    const [command = '', ...args] = split(line);
    if (command === 'kubectl') return [kubelab ?? '', ['kubectl', ...args]];
    const settled = args.map((arg) => (arg === 'state.yaml' ? join(folder, arg) : arg));
    // The page waits for things that take seconds; here they take less.
    const faster = args[0] === 'emulate' && args.length === 1 ? ['--speed', '10'] : [];
    return [process.execPath, ['--import', tsx, main, ...settled, ...faster]];
  };

  it('does what it says, command by command', async () => {
    for (const { line, output } of readCommands()) {
      const [command, args] = toProcess(line.replace(ownTerminal, ''));
      if (ownTerminal.test(line)) {
        const terminal = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
        terminals.push(terminal);
        // The emulator adds its nodes first of all.
        await new Promise((done) => terminal.stderr?.once('data', done));
        continue;
      }
      if (line.startsWith('kubectl delete iwl')) for (const terminal of terminals.splice(0)) terminal.kill('SIGINT');
      const run = promisify(execFile)(command, args, { env, timeout: 150_000 });
      const { stdout } = await run.catch((error) => {
        throw new Error(`${line}\n${error.stdout}${error.stderr}`);
      });
      if (output !== '') expect(settle(stdout), line).toEqual(settle(output));
    }
  }, 300_000);

  it('lists every fault that can be caused', () => {
    const listed = [...guide.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    );
    expect(listed).toEqual([...Object.keys(nodeFaults), ...Object.keys(podFaults)]);
  });
});
