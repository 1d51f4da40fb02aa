import { execFile } from 'node:child_process';
import { access, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { recordIo } from '../src/cli/io.fixture.js';
import { createProgram } from '../src/cli/program.js';

interface Instruction {
  readonly keyword: string;
  readonly text: string;
}

/** Instructions by stage, in their order. */
async function readStages(): Promise<readonly (readonly Instruction[])[]> {
  const lines = (await readFile('deploy/Dockerfile', 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [, keyword = '', text = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (keyword === 'FROM') stages.push([]);
    stages.at(-1)?.push({ keyword, text });
  }
  return stages;
}

const textsOf = (stage: readonly Instruction[] | undefined, wanted: string) =>
  stage?.filter(({ keyword }) => keyword === wanted).map(({ text }) => text) ?? [];

test('the image is built from one exact release of Node, and from files that exist and that docker is shown', async () => {
  const [build, final] = await readStages();
  const bases = [build, final].flatMap((stage) => textsOf(stage, 'FROM').map((text) => text.split(' ')[0]));
  expect(new Set(bases).size).toBe(1);
  const [major] = /^node:(\d+)\.\d+\.\d+-bookworm-slim$/.exec(bases[0] ?? '')?.slice(1) ?? [];
  const { engines, scripts } = JSON.parse(await readFile('package.json', 'utf8'));
  expect(engines.node).toBe(`>=${major}`);
  const shown = (await readFile('.dockerignore', 'utf8')).split('\n').filter((line) => line.startsWith('!'));
  const sources = textsOf(build, 'COPY').flatMap((text) => text.split(' ').slice(0, -1));
  expect(shown.map((line) => line.slice(1))).toEqual(sources);
  for (const source of sources) await access(source);
  const run = textsOf(build, 'RUN').flatMap((text) => [...text.matchAll(/npm run (\S+)/g)].map(([, script]) => script));
  expect(run).toEqual(['build']);
  for (const script of run) expect(scripts).toHaveProperty(script ?? '');
});

test('the image runs as the user of the manifests, whose number the kubelet can check, and starts the command of the package', async () => {
  const [, final] = await readStages();
  const manifest = await readFile('deploy/base/operator.yaml', 'utf8');
  const [user = '', group = ''] = textsOf(final, 'USER')[0]?.split(':') ?? [];
  expect(manifest).toContain(`runAsUser: ${user}\n`);
  expect(manifest).toContain(`runAsGroup: ${group}\n`);
  expect(Number(user)).toBeGreaterThan(0);
  const [workdir = ''] = textsOf(final, 'WORKDIR');
  const { bin } = JSON.parse(await readFile('package.json', 'utf8'));
  expect(JSON.parse(textsOf(final, 'ENTRYPOINT')[0] ?? '')).toEqual(['node', join(workdir, bin.inlay)]);
  const commands = createProgram(recordIo().io).commands.map((command) => command.name());
  expect(commands).toEqual(expect.arrayContaining([...JSON.parse(textsOf(final, 'CMD')[0] ?? ''), 'agent']));
});

test('what the image holds is enough: the operator starts with the packages that are left without those for development', async () => {
  await access('dist').catch(() => {
    throw new Error('This test runs the built package: npm run build first.');
  });
  const [, final] = await readStages();
  const folder = await mkdtemp(join(tmpdir(), 'inlay-image-'));
  try {
    expect(textsOf(final, 'COPY').map((text) => text.split(' ').slice(1).join(' '))).toEqual([
      '/inlay/package.json ./',
      '/inlay/node_modules node_modules',
      '/inlay/dist dist',
    ]);
    await cp('package.json', join(folder, 'package.json'));
    await cp('dist', join(folder, 'dist'), { recursive: true });
    const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as { packages: Record<string, { dev?: boolean }> };
    for (const [path, { dev }] of Object.entries(packages)) {
      // Those inside of others come with them.
      if (dev === true || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)) continue;
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await symlink(resolve(path), join(folder, path));
    }
    const env = { PATH: process.env['PATH'], NODE_ENV: 'production', KUBECONFIG: join(folder, 'none') };
    const failed = await promisify(execFile)(process.execPath, ['dist/cli/main.js', 'operator'], { cwd: folder, env }).catch((e) => e);
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining('(KUBECONFIG_UNUSABLE)') });
    const agent = ['dist/cli/main.js', 'agent', '--node', 'gpu-0'];
    const other = await promisify(execFile)(process.execPath, agent, { cwd: folder, env }).catch((e) => e);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('(KUBECONFIG_UNUSABLE)') });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
